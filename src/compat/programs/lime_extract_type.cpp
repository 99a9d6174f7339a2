// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lime_extract_type FILE TYPE: the payload of the first record of that type to stdout; nothing, and success, if there
// is none.
#include <cstdlib>

#include "compat/programs/lime_records.hpp"

int main(int argc, char* argv[]) {
  using namespace lq::compat::programs;
  if (argc < 3) {
    std::fprintf(stderr, "Usage: %s <lime_file> <lime_type>\n", argv[0]);
    return EXIT_FAILURE;
  }
  return run([&] {
    for_each_record(argv[1], FirstRecord::only_if_flagged, [&](const Record& record) {
      if (record.type != argv[2]) return true;
      copy_payload(record, stdout, "the standard output");
      return false;
    });
  });
}
