// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq extract: one record as a file.
#include <memory>

#include "cli/command.hpp"
#include "cli/numbered_name.hpp"
#include "cli/repack_arguments.hpp"

namespace lq::cli {
namespace {

struct Extract {
  std::string from, name, to;
  RepackArguments how;

  int run(Session& session) const {
    const NumberedName wanted = parse_numbered_name(name);
    return how.carry_out(session, to, "extracted", [&](const RepackOptions& options) {
      return lq::extract(from, wanted.name, wanted.index, to, options);
    });
  }
};

}  // namespace

Run declare_extract(Arguments& arguments) {
  const auto extract = std::make_shared<Extract>();
  arguments.file("FILE", extract->from, "file to read");
  arguments.word("NAME", extract->name,
                 "type of the record, NAME:N is number N of it, from 0; or field of a checkpoint");
  arguments.file("OUT", extract->to, "file to write");
  extract->how.declare(arguments, "extract");
  return [extract](Session& session) {
    return for_each_file(session, {extract->to}, [&](const std::string&) { return extract->run(session); });
  };
}

}  // namespace lq::cli
