// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lime_pack LIST FILE: writes the files of a list, one "DATAFILE TYPE" per line, as records of a LIME file; an empty
// line ends a message. Same output as C-LIME's; a line with one word, an unreadable file, or a full disk makes it
// fail.
#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "programs/lime/records.hpp"

namespace {

using namespace lq::programs;

struct Item {
  std::string file;
  std::string type;
  bool is_separator = false;
};

Item item_of(const std::string& line) {
  Item item;
  std::istringstream words(line);
  words >> item.file >> item.type;
  item.is_separator = item.file.empty();
  return item;
}

std::vector<Item> items_of(const std::string& list) {
  std::ifstream in(list);
  if (!in) throw Failure("Unable to open file " + list + " for reading");
  std::vector<Item> items;
  for (std::string line; std::getline(in, line);) items.push_back(item_of(line));
  return items;
}

void check(int status, const char* what) {
  if (status != LIME_SUCCESS) throw Failure(std::string(what) + " " + std::to_string(status));
}

n_uint64_t size_of(std::FILE* file, const std::string& path) {
  const off_t size = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;
  if (size < 0 || fseeko(file, 0, SEEK_SET) != 0) throw Failure("Can't compute length of file " + path);
  return static_cast<n_uint64_t>(size);
}

class Packer {
 public:
  explicit Packer(const std::string& path) : path_(path), file_(open_to_write(path)) {
    writer_.reset(limeCreateWriter(file_.get()));
    if (!writer_) throw Failure("Unable to initialise LIME");
  }

  void add(Item item, bool begins, bool ends) {
    const File source(std::fopen(item.file.c_str(), "r"));
    if (!source) throw Failure("Unable to open " + item.file);
    const n_uint64_t bytes = size_of(source.get(), item.file);
    if (begins) ++message_;
    record_ = begins ? 1 : record_ + 1;
    std::printf("%2d %3d %8llu %s\n\t\t%s\n", message_, record_, static_cast<unsigned long long>(bytes),
                item.type.c_str(), item.file.c_str());
    LimeRecordHeader header{LIME_VERSION, begins, ends, item.type.data(), bytes};
    check(limeWriteRecordHeader(&header, writer_.get()), "LIME write header error");
    copy(source.get(), bytes, item.file);
    check(limeWriterCloseRecord(writer_.get()), "LIME write error");
  }

  void finish() {
    writer_.reset();
    close_written(std::move(file_), path_);
  }

 private:
  struct DestroyWriter {
    void operator()(LimeWriter* writer) const noexcept { limeDestroyWriter(writer); }
  };

  void copy(std::FILE* source, n_uint64_t left, const std::string& name) {
    std::array<char, 65536> buffer;
    while (left > 0) {
      n_uint64_t bytes = std::min<n_uint64_t>(left, buffer.size());
      if (std::fread(buffer.data(), 1, bytes, source) != bytes) throw Failure("Error reading " + name);
      left -= bytes;
      check(limeWriteRecordData(buffer.data(), &bytes, writer_.get()), "LIME write error");
    }
  }

  std::string path_;
  File file_;
  std::unique_ptr<LimeWriter, DestroyWriter> writer_;
  int message_ = 0;
  int record_ = 0;
};

void pack(const std::string& list, const std::string& path) {
  const std::vector<Item> items = items_of(list);
  Packer packer(path);
  std::printf("msg rec   bytes type\n");
  bool begins = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is_separator && items[i].type.empty()) {
      throw Failure("Error: a file list line has only one entry :\n " + items[i].file);
    }
    if (!items[i].is_separator) packer.add(items[i], begins, i + 1 == items.size() || items[i + 1].is_separator);
    begins = items[i].is_separator;
  }
  packer.finish();
}

}  // namespace

int main(int argc, char* argv[]) {
  return run({argv[0], "<filelist_file> <lime_file>\n"}, [&] {
    if (argc != 3) throw WrongUsage();
    pack(argv[1], argv[2]);
  });
}
