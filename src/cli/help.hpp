// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `lq --help` and `lq VERB --help` show: verbs in groups, and for each two examples, which the test
// cli.examples_in_help_run runs.
#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/style.hpp"

namespace lq::cli {

// All verbs in their groups.
Pieces overview(const std::string& program);
// Usage, arguments and examples of one verb; the command of a program without verbs has no name.
Pieces verb_help(const std::string& program, const Command& command, const Arguments& arguments);
// The same as one JSON object, from which docs/reference/lq.md is made (tools/make_lq_page.py).
std::string verb_help_json(const std::string& program, const Command& command, const Arguments& arguments);

}  // namespace lq::cli
