// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lime_extract_record FILE MESSAGE RECORD OUT: writes one payload to a file. Numbers count from 1. Unlike
// C-LIME's, it fails if there is no such record, and then writes no file.
#include <charconv>
#include <string_view>

#include "programs/lime/records.hpp"

namespace {

using namespace lq::programs;

int number_of(std::string_view text, const char* what) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value <= 0) {
    throw Failure("Invalid " + std::string(what) + " number = " + std::string(text));
  }
  return value;
}

void extract(const std::string& path, int message, int number, const std::string& out_path) {
  bool found = false;
  for_each_record(path, FirstRecord::only_if_flagged, [&](const Record& record) {
    if (record.message != message || record.number != number) return true;
    found = true;
    File out = open_to_write(out_path);
    copy_payload(record, out.get(), out_path);
    close_written(std::move(out), out_path);
    return false;
  });
  if (!found) {
    throw Failure(path + ": no record " + std::to_string(number) + " in message " + std::to_string(message));
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run({argv[0], "<lime_file> <msgno> <recno> <output_file>\n"}, [&] {
    if (argc < 5) throw WrongUsage();
    extract(argv[1], number_of(argv[2], "message"), number_of(argv[3], "record"), argv[4]);
  });
}
