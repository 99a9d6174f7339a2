// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>
#include <limequat/stall.hpp>
#include <limequat/version.hpp>

#include "cli/address.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/text.hpp"

namespace lq::cli {

Run declare(const Command& command, Session& session, Arguments& arguments) {
  Run run = command.declare(arguments);
  if (command.reports) arguments.flag("--json", session.json, "results as JSON, one object per line");
  arguments.flag("-q,--quiet", session.quiet, "results, warnings and errors only");
  arguments.flag("-v,--verbose", session.verbose, "print more on standard error");
  return run;
}

namespace {

// With -v, its build options, one line each.
void print_version(Session& session) {
  std::vector<BuildPart> parts;
  if (session.verbose || session.json) {
    parts = build_parts();
    const bool is_over_mpi = session.mpi != "none";
    parts.push_back({"MPI", is_over_mpi, is_over_mpi ? session.mpi : "lq-mpi is the program over MPI"});
  }
  if (session.json) {
    session.out.line(
        fmt::format(R"({{"program":"{}","version":"{}","parts":{}}})", session.program, version(), to_json(parts)));
    return;
  }
  session.out.line(fmt::format("{} {}", session.program, version()));
  for (const BuildPart& part : parts) {
    session.out.line(fmt::format("  {:<12}{:<5}{}", part.name, part.is_present ? "yes" : "no", part.note));
  }
}

// Options before the verb. Returns their number; `answered` if nothing remains to be done.
std::size_t global_options(Session& session, const std::vector<std::string>& words, bool& answered) {
  bool asks_for_version = false;
  std::size_t i = 0;
  for (; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word.front() != '-') break;
    if (word == "-h" || word == "--help") {
      session.out.write(overview(session.program));
      answered = true;
      return i;
    }
    if (word == "--version") {
      asks_for_version = true;
      continue;
    }
    if (word == "--json") {
      session.json = true;
    } else if (word == "-q" || word == "--quiet") {
      session.quiet = true;
    } else if (word == "-v" || word == "--verbose") {
      session.verbose = true;
    } else {
      throw UsageError(
          fmt::format("unknown option \"{}\"{}", printable(word),
                      did_you_mean(word, {"--json", "--quiet", "--verbose", "--version", "--help", "-q", "-v", "-h"})));
    }
  }
  if (asks_for_version) {
    print_version(session);
    answered = true;
  }
  return i;
}

const Command& verb_named(const std::string& word) {
  if (const Command* command = find_command(word)) return *command;
  std::vector<std::string> names;
  std::string list;
  for (const Command& command : commands()) {
    names.emplace_back(command.name);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", command.name);
  }
  const std::string suggestion = did_you_mean(word, names);
  throw UsageError(
      fmt::format("unknown verb \"{}\"{}", printable(word), suggestion.empty() ? "; there are " + list : suggestion));
}

// One rank may lack memory that another has.
void parse(Session& session, Arguments& arguments, const std::vector<std::string>& words) {
  std::exception_ptr failure;
  try {
    arguments.parse(words, session.communicator.size() == 1);
  } catch (const Error&) {
    failure = std::current_exception();
  }
  session.communicator.agree(failure);
  for (const auto& [path, name] : arguments.renamed()) session.out.call(path, name);
}

int run_verb(Session& session, const Command& command, const std::vector<std::string>& words) {
  Arguments arguments;
  const bool json_before = session.json;
  const Run work = declare(command, session, arguments);
  const std::string full_name = fmt::format("{} {}", session.program, command.name);
  if (arguments.asks_for_help(words)) {
    const bool as_json = json_before || std::ranges::find(words, "--json") != words.end();
    if (as_json) {
      session.out.line(verb_help_json(session.program, command, arguments));
    } else {
      session.out.write(verb_help(session.program, command, arguments));
    }
    return fine;
  }
  try {
    parse(session, arguments, words);
    if (json_before && !command.reports) throw UsageError("--json does not apply: this verb prints no report");
    return work(session);
  } catch (const UsageError& error) {
    session.complain(fmt::format("{}: {}", command.name, error.what()));
    session.complain(fmt::format("see \"{} --help\"", full_name));
    return usage;
  }
}

int dispatch(Session& session, const std::vector<std::string>& words) {
  try {
    bool answered = false;
    const std::size_t first = global_options(session, words, answered);
    if (answered) return fine;
    if (first == words.size()) throw UsageError("which verb?");
    std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(first) + 1, words.end());
    if (words[first] == "help") {
      if (!rest.empty()) return run_verb(session, verb_named(rest.front()), {"--help"});
      session.out.write(overview(session.program));
      return fine;
    }
    return run_verb(session, verb_named(words[first]), rest);
  } catch (const UsageError& error) {
    session.complain(error.what());
    session.complain(fmt::format("see \"{} --help\"", session.program));
    return usage;
  }
}

// Every rank reports its own calls: the root may not be the one that waits.
void watch(const Session& session) {
  watch_stalls_by_default(30, session.communicator.size() == 1
                                  ? session.program + ":"
                                  : fmt::format("{}: rank {}", session.program, session.communicator.rank()));
}

}  // namespace

int run(Session& session, const std::vector<std::string>& words) {
  watch(session);
  open_packed_files();
  int code = fine;
  try {
    code = dispatch(session, words);
  } catch (const Error& error) {
    code = tell(session, error.facts().path, error);
  } catch (const std::bad_alloc&) {
    session.complain("not enough memory; use more ranks or a machine with more memory");
    code = environment;
  } catch (const std::exception& error) {
    session.complain(fmt::format("internal error, please report it: {}", error.what()));
    code = environment;
  }
  if (const int failure = session.out.finish(); failure != 0) {
    session.complain(
        fmt::format("cannot write to standard output: {}; the results are incomplete", std::strerror(failure)));
    code = environment;
  }
  return session.from_root(code);
}

}  // namespace lq::cli
