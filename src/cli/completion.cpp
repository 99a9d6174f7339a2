// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion scripts, made from the table of verbs and their arguments.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"

namespace lq::cli {

namespace {

struct VerbArguments {
  std::string name;
  std::string summary;
  std::vector<Argument> arguments;
};

// Completion for bash.

// Positional arguments that take one of a few words, by position: ("0", "document check lfn").
std::vector<std::pair<std::string, std::string>> words_by_place(const VerbArguments& verb) {
  std::vector<std::pair<std::string, std::string>> all;
  std::size_t place = 0;
  for (const Argument& argument : verb.arguments) {
    if (!argument.is_positional) continue;
    if (!argument.choices.empty()) {
      all.emplace_back(std::to_string(place), fmt::format("{}", fmt::join(argument.choices, " ")));
    }
    ++place;
  }
  return all;
}

std::string bash_completion(const std::vector<VerbArguments>& verbs) {
  std::string names;
  std::string options;  // case branches: options of each verb
  std::string values;   // case branches: words that an option takes; free text completes file names
  std::string takers;   // options that take a value
  std::string places;   // case branches: words that a verb's arguments take
  for (const VerbArguments& verb : verbs) {
    names += (names.empty() ? "" : " ") + verb.name;
    std::string words;
    for (const auto& [place, choices] : words_by_place(verb)) {
      places += fmt::format("    '{} {}') words='{}' ;;\n", verb.name, place, choices);
    }
    for (const Argument& argument : verb.arguments) {
      if (argument.is_positional) continue;
      for (const std::string& name : argument.names) {
        words += (words.empty() ? "" : " ") + name;
        if (!argument.value.empty()) takers += fmt::format("|'{} {}'", verb.name, name);
        if (!argument.choices.empty()) {
          values += fmt::format("    '{} {}') words='{}' ;;\n", verb.name, name, fmt::join(argument.choices, " "));
        }
      }
    }
    options += fmt::format("      {}) words='{}' ;;\n", verb.name, words);
  }
  return fmt::format(R"(# Completion of lq and lq-mpi for bash.
_lq() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} verb='' words='' i place=0
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ -n $verb ]]; then
      case "$verb ${{COMP_WORDS[i-1]}}" in
        {}) continue ;;
      esac
    fi
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then
      if [[ -z $verb ]]; then
        verb=${{COMP_WORDS[i]}}
      else
        ((++place))
      fi
    fi
  done
  COMPREPLY=()
  case "$verb $prev" in
{}  esac
  if [[ -z $words && $cur != -* ]]; then
    case "$verb $place" in
{}    'help 0') words='{}' ;;
    esac
  fi
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
                     takers.substr(1), values, places, names, names, options);
}

// Completion for fish.

std::string quoted_for_fish(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return out + "'";
}

std::string fish_completion(const std::vector<VerbArguments>& verbs) {
  std::string script = "# Completion of lq and lq-mpi for fish.\n";
  for (const char* program : {"lq", "lq-mpi"}) {
    std::string names;
    for (const VerbArguments& verb : verbs) {
      script += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d {}\n", program, verb.name,
                            quoted_for_fish(verb.summary));
      for (const auto& [place, choices] : words_by_place(verb)) {
        // The verb and the preceding words are present, and none of these yet.
        script += fmt::format(
            "complete -c {} -n '__fish_seen_subcommand_from {}; and not __fish_seen_subcommand_from {}' -f -a '{}'\n",
            program, verb.name, choices, choices);
      }
      names += (names.empty() ? "" : " ") + verb.name;
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
    script += fmt::format("complete -c {} -n __fish_use_subcommand -f -a help -d 'what a verb takes'\n", program);
    script += fmt::format("complete -c {} -n '__fish_seen_subcommand_from help' -f -a '{}'\n", program, names);
  }
  return script;
}

// Completion for zsh.

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
    const std::string files = !argument.choices.empty() ? fmt::format("({})", fmt::join(argument.choices, " "))
                              : argument.is_file        ? "_files"
                                                        : "";
    return fmt::format("      '{}:{}:{}' \\\n", argument.repeats ? "*" : "", quoted_for_zsh(argument.value), files);
  }
  std::string lines;
  for (const std::string& name : argument.names) {
    lines += fmt::format("      '{}{}[{}]{}' \\\n", argument.repeats ? "*" : "", name, quoted_for_zsh(argument.help),
                         action);
  }
  return lines;
}

std::string zsh_completion(const std::vector<VerbArguments>& verbs) {
  std::string names;
  std::string branches;
  for (const VerbArguments& verb : verbs) {
    names += fmt::format("    '{}:{}'\n", verb.name, quoted_for_zsh(verb.summary));
    branches += fmt::format("    {})\n      _arguments \\\n", verb.name);
    for (const Argument& argument : verb.arguments) branches += specification(argument);
    branches += "        && return 0\n      ;;\n";
  }
  names += "    'help:what a verb takes'\n";
  branches += "    help)\n      _describe verb verbs && return 0\n      ;;\n";
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

// lq completion SHELL: run at build time for the files that are installed, or by the user:
//   source <(lq completion bash)

std::vector<VerbArguments> all_verbs() {
  std::vector<VerbArguments> verbs;
  for (const Command& command : commands()) {
    Session session("lq", Communicator());
    Arguments arguments;
    declare(command, session, arguments);
    std::vector<Argument> all = arguments.all();
    bool help = false;
    Arguments common;
    common.flag("-h,--help", help, "what the verb takes");
    all.push_back(common.all().front());
    verbs.push_back({std::string(command.name), std::string(command.summary), all});
  }
  return verbs;
}

}  // namespace

Run declare_completion(Arguments& arguments) {
  const auto shell = std::make_shared<std::string>();
  arguments.word("SHELL", *shell, "which shell", {"bash", "zsh", "fish"});
  return [shell](Session& session) {
    const std::vector<VerbArguments> verbs = all_verbs();
    session.out.write(*shell == "bash"  ? bash_completion(verbs)
                      : *shell == "zsh" ? zsh_completion(verbs)
                                        : fish_completion(verbs));
    return fine;
  };
}

}  // namespace lq::cli
