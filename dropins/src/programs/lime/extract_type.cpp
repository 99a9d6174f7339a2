// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lime_extract_type FILE TYPE: the payload of the first record of that type to stdout; nothing, and success, if there
// is none.
#include "programs/lime/records.hpp"

int main(int argc, char* argv[]) {
  using namespace lq::programs;
  return run({argv[0], "<lime_file> <lime_type>\n"}, [&] {
    if (argc < 3) throw WrongUsage();
    for_each_record(argv[1], FirstRecord::only_if_flagged, [&](const Record& record) {
      if (record.type != argv[2]) return true;
      copy_payload(record, stdout, "the standard output");
      return false;
    });
  });
}
