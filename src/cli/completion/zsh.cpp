// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion for zsh.
#include <fmt/format.h>

#include "cli/completion/shells.hpp"

namespace lq::cli {
namespace {

// Inside single quotes of the shell, and inside the brackets of _arguments.
std::string quoted_for_zsh(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':') {
      out += {'\\', c};
    } else {
      out += c;
    }
  }
  return out;
}

std::string specification(const Argument& argument) {
  std::string action;
  if (!argument.value.empty()) {
    action = argument.choices.empty()
                 ? fmt::format(":{}:_files", quoted_for_zsh(argument.value))
                 : fmt::format(":{}:({})", quoted_for_zsh(argument.value), fmt::join(argument.choices, " "));
  }
  if (argument.is_positional) {
    const char* files = argument.is_file ? "_files" : "";
    return fmt::format("      '{}:{}:{}' \\\n", argument.repeats ? "*" : "", quoted_for_zsh(argument.value), files);
  }
  std::string lines;
  for (const std::string& name : argument.names) {
    lines += fmt::format("      '{}{}[{}]{}' \\\n", argument.repeats ? "*" : "", name, quoted_for_zsh(argument.help),
                         action);
  }
  return lines;
}

}  // namespace

std::string zsh_completion(const std::vector<VerbArguments>& verbs) {
  std::string names;
  std::string branches;
  for (const VerbArguments& verb : verbs) {
    names += fmt::format("    '{}:{}'\n", verb.name, quoted_for_zsh(verb.summary));
    branches += fmt::format("    {})\n      _arguments \\\n", verb.name);
    for (const Argument& argument : verb.arguments) branches += specification(argument);
    branches += "        && return 0\n      ;;\n";
  }
  return fmt::format(R"(#compdef lq lq-mpi
# Completion of lq and lq-mpi for zsh.
_lq() {{
  local -a verbs
  verbs=(
{}  )
  local context state line
  _arguments -C '--json[results as JSON]' '--version[version]' '--help[overview]' '1:verb:->verb' '*::argument:->rest'
  if [[ $state == verb ]]; then
    _describe verb verbs
    return
  fi
  case $line[1] in
{}  esac
}}
_lq "$@"
)",
                     names, branches);
}

}  // namespace lq::cli
