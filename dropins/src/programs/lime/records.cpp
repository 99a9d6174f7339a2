// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "programs/lime/records.hpp"

#include <algorithm>
#include <array>

namespace lq::programs {
namespace {

struct DestroyReader {
  void operator()(LimeReader* reader) const noexcept { limeDestroyReader(reader); }
};

}  // namespace

File open_to_read(const std::string& path) {
  File file(std::fopen(path.c_str(), "r"));
  if (!file) throw Failure("Unable to open file " + path + " for reading");
  return file;
}

File open_to_write(const std::string& path) {
  File file(std::fopen(path.c_str(), "w"));
  if (!file) throw Failure("Unable to open file " + path + " for writing");
  return file;
}

void close_written(File file, const std::string& path) {
  if (std::fclose(file.release()) != 0) throw Failure("Error writing " + path);
}

void for_each_record(const std::string& path, FirstRecord first, const std::function<bool(const Record&)>& visit) {
  const File file = open_to_read(path);
  const std::unique_ptr<LimeReader, DestroyReader> reader(limeCreateReader(file.get()));
  if (!reader) throw Failure("Unable to open LimeReader");
  Record record{reader.get(), 0, 0, "", 0};
  bool is_first = true;
  int status = 0;
  while ((status = limeReaderNextRecord(reader.get())) != LIME_EOF) {
    if (status != LIME_SUCCESS) {
      throw Failure(path + ": limeReaderNextRecord returned status = " + std::to_string(status) + " at byte " +
                    std::to_string(limeGetReaderPointer(reader.get())));
    }
    const bool begins = limeReaderMBFlag(reader.get()) == 1;
    if (begins || (is_first && first == FirstRecord::begins_a_message)) {
      ++record.message;
      record.number = 0;
    }
    is_first = false;
    ++record.number;
    record.type = limeReaderType(reader.get());
    record.bytes = limeReaderBytes(reader.get());
    if (!visit(record)) return;
  }
}

void copy_payload(const Record& record, std::FILE* out, const std::string& out_name) {
  std::array<char, 65536> buffer;
  for (std::uint64_t left = record.bytes; left > 0;) {
    n_uint64_t bytes = std::min<std::uint64_t>(left, buffer.size());
    const int status = limeReaderReadData(buffer.data(), &bytes, record.reader);
    if (status != LIME_SUCCESS) throw Failure("LIME read error occurred: status= " + std::to_string(status));
    if (std::fwrite(buffer.data(), 1, bytes, out) != bytes) throw Failure("Error writing " + out_name);
    left -= bytes;
  }
}

}  // namespace lq::programs
