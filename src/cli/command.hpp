// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of verbs. A verb declares its arguments and returns a function that runs it; one file for each verb or
// family of verbs.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/session.hpp"

namespace lq::cli {

// Collective. Does the work and returns the exit code.
using Run = std::function<int(Session&)>;

using Declare = Run(Arguments& arguments);

struct Example {
  std::string_view purpose, command;
};

struct Command {
  std::string_view name, group;
  Declare* declare = nullptr;
  std::string_view summary;
  std::string_view purpose = {}, example = {}, other_purpose = {}, other_example = {};
  bool reports = true;  // has --json

  std::array<Example, 2> examples() const { return {{{purpose, example}, {other_purpose, other_example}}}; }
};

std::span<const Command> commands();
std::span<const std::string_view> groups();
const Command* find_command(std::string_view name);
// The verb's own arguments and those common to all verbs.
Run declare(const Command& command, Session& session, Arguments& arguments);

Declare declare_ls, declare_info, declare_cat, declare_verify, declare_validate, declare_checkpoints, declare_convert,
    declare_copy, declare_partition, declare_repartition, declare_squeeze, declare_unsqueeze, declare_protect,
    declare_export, declare_extract, declare_unpack, declare_pack, declare_defrag, declare_repair, declare_diagnose,
    declare_diff, declare_doctor, declare_dump, declare_explain, declare_index, declare_find, declare_scrub,
    declare_report, declare_ildg, declare_generate, declare_bench, declare_manifest, declare_modes, declare_set,
    declare_plan, declare_plot, declare_completion;

// Collective. Runs the command line: verb, global options, exit code. `words` follow the
// program's name. The same exit code on every rank.
int run(Session& session, const std::vector<std::string>& words);

}  // namespace lq::cli
