// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lime_unpack FILE: writes every payload to a file FILE.contents/msgNN.recNN.TYPE. Same output as C-LIME's.
#include <algorithm>
#include <array>
#include <filesystem>

#include "programs/lime/records.hpp"

namespace {

using namespace lq::programs;

std::string name_of(const Record& record) {
  std::array<char, 64> numbers;
  std::snprintf(numbers.data(), numbers.size(), "msg%02d.rec%02d.", record.message, record.number);
  std::string type = record.type;
  std::replace(type.begin(), type.end(), '/', '_');  // the type must not choose the folder
  return numbers.data() + type;
}

void unpack(const std::string& path) {
  open_to_read(path);
  const std::string folder = path + ".contents";
  std::filesystem::create_directories(folder);
  std::printf("   bytes file\n");
  for_each_record(path, FirstRecord::only_if_flagged, [&](const Record& record) {
    const std::string out_path = folder + "/" + name_of(record);
    if (limeReaderMBFlag(record.reader) == 1) std::printf("\n");
    std::printf("%8llu %s\n", static_cast<unsigned long long>(record.bytes), out_path.c_str());
    File out = open_to_write(out_path);
    copy_payload(record, out.get(), out_path);
    close_written(std::move(out), out_path);
    return true;
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  return run({argv[0], "<lime_file>\n"}, [&] {
    if (argc < 2) throw WrongUsage();
    unpack(argv[1]);
  });
}
