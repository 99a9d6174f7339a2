// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion for bash.
#include <fmt/format.h>

#include "cli/completion/shells.hpp"

namespace lq::cli {

std::string bash_completion(const std::vector<VerbArguments>& verbs) {
  std::string names;
  std::string options;  // case branches: the options of each verb
  std::string values;   // case branches: the words an option takes; free text offers file names
  for (const VerbArguments& verb : verbs) {
    names += (names.empty() ? "" : " ") + verb.name;
    std::string words;
    for (const Argument& argument : verb.arguments) {
      if (argument.is_positional) continue;
      for (const std::string& name : argument.names) {
        words += (words.empty() ? "" : " ") + name;
        if (!argument.choices.empty()) {
          values += fmt::format("    '{} {}') words='{}' ;;\n", verb.name, name, fmt::join(argument.choices, " "));
        }
      }
    }
    options += fmt::format("      {}) words='{}' ;;\n", verb.name, words);
  }
  return fmt::format(R"(# Completion of lq and lq-mpi for bash.
_lq() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} verb='' words='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then
      verb=${{COMP_WORDS[i]}}
      break
    fi
  done
  COMPREPLY=()
  case "$verb $prev" in
{}  esac
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    return
  fi
  if [[ -z $verb || $cur == -* ]]; then
    case $verb in
      '') words='{} help --json --quiet --verbose --version --help' ;;
{}    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}}
complete -o filenames -F _lq lq lq-mpi
)",
                     values, names, options);
}

}  // namespace lq::cli
