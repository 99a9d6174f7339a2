// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq repair: a whole multifile of one whose writer was interrupted.
#include <memory>

#include "cli/command.hpp"
#include "cli/repack_arguments.hpp"

namespace lq::cli {
namespace {

struct Repair {
  std::string from, to;
  RepackArguments how;

  int run(Session& session) const {
    return how.carry_out(session, to, "repaired",
                         [&](const RepackOptions& options) { return lq::repair(from, to, options); });
  }
};

}  // namespace

Run declare_repair(Arguments& arguments) {
  const auto repair = std::make_shared<Repair>();
  arguments.file("FILE", repair->from, "multifile that was not closed, or lost its end");
  arguments.text("-o,--output", "OUT", repair->to, "multifile to write");
  arguments.number("--unit", repair->how.unit,
                   "data came in multiples of so many bytes, such as the size of a number or of a write");
  repair->how.declare(arguments);
  return [repair](Session& session) {
    if (repair->to.empty()) throw UsageError("-o OUT is missing: which multifile is to be written?");
    return for_each_file(session, {repair->to}, [&](const std::string&) { return repair->run(session); });
  };
}

}  // namespace lq::cli
