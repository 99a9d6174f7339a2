// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lime_contents FILE: every record with its header, and its payload if that is short and text. Same output as C-LIME's.
#include <algorithm>
#include <vector>

#include "programs/lime/records.hpp"

namespace {

using namespace lq::programs;

constexpr std::uint64_t shown_bytes = 64000;

void show_payload(const Record& record) {
  if (record.bytes >= shown_bytes) {
    std::printf("Data:           [Long record skipped]\n");
    return;
  }
  std::vector<char> text(record.bytes + 1, '\0');
  n_uint64_t bytes = record.bytes;
  const int status = limeReaderReadData(text.data(), &bytes, record.reader);
  if (status != LIME_SUCCESS && status != LIME_EOR) {
    throw Failure("LIME read error occurred: status= " + std::to_string(status) + "  " + std::to_string(record.bytes) +
                  " bytes wanted, " + std::to_string(bytes) + " read");
  }
  const bool is_text =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (is_text) {
    std::printf("Data:           \"%s\" \n", text.data());  // up to a NUL, as in the original
  } else {
    std::printf("Data:           [Binary data]\n");
  }
}

bool show(const Record& record) {
  std::printf("\n\n");
  std::printf("Message:        %d\n", record.message);
  std::printf("Record:         %d\n", record.number);
  std::printf("Type:           %s\n", record.type.c_str());
  std::printf("Data Length:    %llu\n", static_cast<unsigned long long>(record.bytes));
  std::printf("Padding Length: %zu\n", limeReaderPadBytes(record.reader));
  std::printf("MB flag:        %d\n", limeReaderMBFlag(record.reader));
  std::printf("ME flag:        %d\n", limeReaderMEFlag(record.reader));
  show_payload(record);
  return true;
}

}  // namespace

int main(int argc, char* argv[]) {
  return run({argv[0], "<lime_file>\n"}, [&] {
    if (argc != 2) throw WrongUsage();
    for_each_record(argv[1], FirstRecord::begins_a_message, show);
  });
}
