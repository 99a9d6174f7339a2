// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `lq --help` and `lq VERB --help` show: verbs in groups, and for each two examples, which the test
// cli.examples_in_help_run runs.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/style.hpp"

namespace lq::cli {

struct Example {
  std::string_view purpose;
  std::string_view command;
};

struct VerbPage {
  std::string_view verb;
  std::string_view group;
  std::array<Example, 2> examples;
};

// In the order of the groups. A verb without a page would be in the group "Other", without examples.
std::span<const VerbPage> verb_pages();

// All verbs in their groups.
Pieces overview(const std::string& program);
// Usage, arguments and examples of one verb; of a program without verbs, whose command has no name.
Pieces verb_help(const std::string& program, const Command& command, const Arguments& arguments);
// The same as one JSON object, of which docs/reference/lq.md is made (tools/make_lq_page.py).
std::string verb_help_json(const std::string& program, const Command& command, const Arguments& arguments);

}  // namespace lq::cli
