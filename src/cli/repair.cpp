// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq repair: a whole file of one that is damaged or whose writer was interrupted; checkpoints of ours where they lie.
#include <memory>

#include "cli/command.hpp"
#include "cli/repack_arguments.hpp"

namespace lq::cli {
namespace {

struct Repair {
  std::string from, to;
  RepackArguments how;

  int run(Session& session) const {
    return how.carry_out(session, to.empty() ? from : to, "repaired",
                         [&](const RepackOptions& options) { return lq::repair(from, to, options); });
  }
};

}  // namespace

Run declare_repair(Arguments& arguments) {
  const auto repair = std::make_shared<Repair>();
  arguments.file("FILE", repair->from, "damaged file, or multifile that was not closed");
  arguments.text("-o,--output", "OUT", repair->to,
                 "name of the whole file; of a checkpoint of ours by default the one it was to have");
  repair->how.declare(arguments, "repair");
  return [repair](Session& session) {
    const std::string& named = repair->to.empty() ? repair->from : repair->to;
    return for_each_file(session, {named}, [&](const std::string&) { return repair->run(session); });
  };
}

}  // namespace lq::cli
