// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq checkpoints: what is in a folder of checkpoints.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <limequat/checkpoints.hpp>
#include <limequat/error.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

struct CheckpointsVerb {
  std::string folder;
  CheckpointsOptions options;
  CheckpointListOptions listing;
  bool prunes = false, forgets = false;
  GivenOptions given = {};

  int run(Session& session) const {
    std::vector<std::string> removed;
    if (prunes || forgets) {
      static_cast<void>(list_checkpoints(folder, {.verify = Verify::none}));  // throws if missing
      CheckpointsOptions how = options;
      if (!given->contains("keep")) how.keep = std::numeric_limits<std::int32_t>::max();
      Checkpoints checkpoints(folder, session.communicator, how);
      if (forgets) checkpoints.forget_marks();
      if (prunes) removed = checkpoints.prune();
    }
    return at_root(session, [&] { return list(session, removed); });
  }

  int list(Session& session, const std::vector<std::string>& removed) const {
    const CheckpointList found = list_checkpoints(folder, listing);
    if (session.json) {
      session.out.object(found, "removed", removed);
    } else {
      show(session, found, removed);
    }
    return code_of(found);
  }

  // 3: no checkpoint is valid; 1: some are not.
  static int code_of(const CheckpointList& list) {
    const auto is = [&](CheckpointState state) {
      return std::ranges::any_of(list.entries, [&](const CheckpointEntry& entry) { return entry.state == state; });
    };
    if (!is(CheckpointState::bad) && !is(CheckpointState::rejected)) return fine;
    return is(CheckpointState::valid) || is(CheckpointState::not_checked) ? differs : invalid;
  }

  static void show(Session& session, const CheckpointList& list, const std::vector<std::string>& removed) {
    Output& out = session.out;
    if (session.quiet) return;
    for (const CheckpointEntry& entry : list.entries) {
      const bool is_unfinished = entry.date == 0;
      out.line(fmt::format("{:>12}  {:20}  {:>10}  {:13}  {}",
                           is_unfinished && entry.step == 0 ? "-" : std::to_string(entry.step),
                           is_unfinished ? "-" : base::utc_text(entry.date), base::human_bytes(entry.bytes),
                           name(entry.state), printable(entry.name)));
      for (const std::string& problem : entry.problems) out.line("              " + printable(problem));
    }
    if (list.entries.empty()) out.line(printable(list.folder) + ": no checkpoints");
    for (const std::string& one : removed) out.line("removed " + printable(one));
    if (!list.holder.empty()) out.line("running here: " + printable(list.holder));
    if (!list.foreign.empty()) {
      out.line(fmt::format("{} that {} not of checkpoints", count(list.foreign.size(), "name"),
                           list.foreign.size() == 1 ? "is" : "are"));
    }
  }
};

}  // namespace

Run declare_checkpoints(Arguments& arguments) {
  const auto verb = std::make_shared<CheckpointsVerb>();
  arguments.file("DIR", verb->folder, "a folder of checkpoints");
  arguments.flag("--prune", verb->prunes, "remove what killed jobs left; with --keep also all other checkpoints");
  arguments.flag("--forget-marks", verb->forgets, "retry damaged checkpoints that were given up");
  verb->given = declare_options(arguments, "checkpoints", "CheckpointsOptions", verb->options);
  declare_options(arguments, "checkpoints", "CheckpointListOptions", verb->listing);
  return [verb](Session& session) { return verb->run(session); };
}

}  // namespace lq::cli
