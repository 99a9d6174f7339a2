// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion for fish.
#include <fmt/format.h>

#include "cli/completion/shells.hpp"

namespace lq::cli {
namespace {

std::string quoted_for_fish(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string fish_completion(const std::vector<VerbArguments>& verbs) {
  std::string script = "# Completion of lq and lq-mpi for fish.\n";
  for (const char* program : {"lq", "lq-mpi"}) {
    for (const VerbArguments& verb : verbs) {
      script += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d {}\n", program, verb.name,
                            quoted_for_fish(verb.summary));
      for (const Argument& argument : verb.arguments) {
        if (argument.is_positional) continue;
        script += fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", program, verb.name);
        for (const std::string& name : argument.names) {
          script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        if (!argument.value.empty()) script += " -r";
        if (!argument.choices.empty()) script += fmt::format(" -f -a '{}'", fmt::join(argument.choices, " "));
        script += fmt::format(" -d {}\n", quoted_for_fish(argument.help));
      }
    }
  }
  return script;
}

}  // namespace lq::cli
