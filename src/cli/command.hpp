// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of verbs. A verb declares what it takes and returns what it does; one file for each, or for those of one
// family.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/session.hpp"

namespace lq::cli {

// Collective. Does the work and returns the exit code.
using Run = std::function<int(Session&)>;

struct Command {
  std::string_view name;
  std::string_view summary;
  Run (*declare)(Arguments& arguments);
  bool reports = true;  // has --json
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);
// The verb's own arguments and those that every verb has.
Run declare(const Command& command, Session& session, Arguments& arguments);

Run declare_ls(Arguments& arguments);
Run declare_info(Arguments& arguments);
Run declare_cat(Arguments& arguments);
Run declare_verify(Arguments& arguments);
Run declare_validate(Arguments& arguments);
Run declare_checkpoints(Arguments& arguments);
Run declare_convert(Arguments& arguments);
Run declare_copy(Arguments& arguments);
Run declare_partition(Arguments& arguments);
Run declare_repartition(Arguments& arguments);
Run declare_squeeze(Arguments& arguments);
Run declare_unsqueeze(Arguments& arguments);
Run declare_protect(Arguments& arguments);
Run declare_export(Arguments& arguments);
Run declare_extract(Arguments& arguments);
Run declare_unpack(Arguments& arguments);
Run declare_pack(Arguments& arguments);
Run declare_defrag(Arguments& arguments);
Run declare_repair(Arguments& arguments);
Run declare_diagnose(Arguments& arguments);
Run declare_diff(Arguments& arguments);
Run declare_doctor(Arguments& arguments);
Run declare_dump(Arguments& arguments);
Run declare_explain(Arguments& arguments);
Run declare_index(Arguments& arguments);
Run declare_find(Arguments& arguments);
Run declare_scrub(Arguments& arguments);
Run declare_report(Arguments& arguments);
Run declare_ildg(Arguments& arguments);
Run declare_generate(Arguments& arguments);
Run declare_bench(Arguments& arguments);
Run declare_manifest(Arguments& arguments);
Run declare_modes(Arguments& arguments);
Run declare_set(Arguments& arguments);
Run declare_plan(Arguments& arguments);
Run declare_plot(Arguments& arguments);
Run declare_completion(Arguments& arguments);

// Collective. The command line: which verb, which global options, which exit code. `words` are those behind the
// program's name. The same exit code on every rank.
int run(Session& session, const std::vector<std::string>& words);

}  // namespace lq::cli
