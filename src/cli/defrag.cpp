// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq defrag: a multifile as one physical file with one chunk for each task.
#include <memory>

#include "cli/command.hpp"
#include "cli/repack_arguments.hpp"

namespace lq::cli {
namespace {

struct Defrag {
  std::string from, to;
  RepackArguments how;

  int run(Session& session) const {
    return how.carry_out(session, to, "written",
                         [&](const RepackOptions& options) { return lq::defragment(from, to, options); });
  }
};

}  // namespace

Run declare_defrag(Arguments& arguments) {
  const auto defrag = std::make_shared<Defrag>();
  arguments.file("FILE", defrag->from, "multifile to read");
  arguments.text("-o,--output", "OUT", defrag->to, "multifile to write");
  defrag->how.declare(arguments, "defrag");
  return [defrag](Session& session) {
    if (defrag->to.empty()) throw UsageError("-o OUT is missing: which multifile is to be written?");
    return for_each_file(session, {defrag->to}, [&](const std::string&) { return defrag->run(session); });
  };
}

}  // namespace lq::cli
