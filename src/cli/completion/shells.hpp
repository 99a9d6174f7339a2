// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion scripts, made from the table of verbs and what each of them takes.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace lq::cli {

struct VerbArguments {
  std::string name;
  std::string summary;
  std::vector<Argument> arguments;
};

std::string bash_completion(const std::vector<VerbArguments>& verbs);
std::string zsh_completion(const std::vector<VerbArguments>& verbs);
std::string fish_completion(const std::vector<VerbArguments>& verbs);

}  // namespace lq::cli
