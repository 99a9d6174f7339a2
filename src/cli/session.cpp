// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/session.hpp"

#include <unistd.h>

#include <cstdio>
#include <exception>

#include <fmt/format.h>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/standard_input.hpp"
#include "cli/text.hpp"
#include "io/leftovers.hpp"

namespace lq::cli {

void Session::complain(std::string_view message) const {
  if (!is_root()) return;
  std::fflush(stdout);  // keeps the order where both go to one terminal
  std::string shown = out.named(message);
  if (::isatty(STDERR_FILENO) == 1) shown = base::printable_text(shown);
  std::fprintf(stderr, "%s: %s\n", program.c_str(), shown.c_str());
}

void Session::note(std::string_view message) const {
  if (!quiet) complain(message);
}

void Session::remark(std::string_view message) const {
  if (verbose) complain(message);
}

int at_root(const Session& session, const std::function<int()>& work) {
  int code = fine;
  std::exception_ptr failure;
  if (session.is_root()) {
    try {
      code = work();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  session.communicator.agree(failure);
  return session.from_root(code);
}

namespace {

int with_standard_input(Session& session, const std::string& path,
                        const std::function<int(const std::string& path)>& work) {
  if (session.communicator.size() > 1) {
    throw Error(Code::unsupported, path + ": a pipe belongs to one rank: use lq, or name a file", {.path = path});
  }
  const StandardInput input(path);
  session.out.call(input.path(), path == "-" ? "standard input" : path);
  return work(input.path());
}

int for_each(Session& session, const std::vector<std::string>& files, bool reads_pipes,
             const std::function<int(const std::string& path)>& work) {
  int code = fine;
  for (const std::string& path : files) {
    if (!session.from_root(session.out.wants_more() ? 1 : 0)) break;
    try {
      code = worse(
          code, path == "-" || (reads_pipes && is_pipe(path)) ? with_standard_input(session, path, work) : work(path));
    } catch (const Error& error) {
      code = worse(code, tell(session, path, error));
    }
  }
  return code;
}

}  // namespace

int for_each_file(Session& session, const std::vector<std::string>& files,
                  const std::function<int(const std::string& path)>& work) {
  return for_each(session, files, false, work);
}

int for_each_input(Session& session, const std::vector<std::string>& files,
                   const std::function<int(const std::string& path)>& work) {
  return for_each(session, files, true, work);
}

int tell(Session& session, const std::string& path, const Error& error) {
  if (session.json) {
    base::JsonWriter json;
    json.begin_object().member("path", path).key("error").raw(to_json(error)).end_object();
    session.out.line(json.take());
  }
  // Not every sentence of the library knows which file it is about.
  const std::string sentence = error.what();
  const auto names = [&](const std::string& file) { return !file.empty() && sentence.find(file) != std::string::npos; };
  const bool says_which = path.empty() || names(path) || names(error.facts().path);
  session.complain(says_which ? sentence : path + ": " + sentence);
  int code = exit_code_of(error);
  // The file; not something in it.
  const bool says_how = sentence.find("--overwrite") != std::string::npos;
  if (error.code() == Code::exists && error.facts().record.empty() && !says_how) {
    session.complain("--overwrite replaces it");
  }
  if (error.code() == Code::not_found && session.is_root()) {
    for (const std::string& leftover : io::leftovers_of(path)) {
      session.complain(fmt::format("{}: an interrupted writer left \"{}\"; see \"{} verify {}\" for how far it came",
                                   path, leftover, session.program, leftover));
      code = incomplete;
    }
  }
  return session.from_root(code);
}

std::string finding_line(const std::string& path, const Finding& finding) {
  std::string line = fmt::format("{}: ", name(finding.severity));
  const std::string message(without_path(finding.message, path));
  // The place, unless the sentence says it itself.
  const bool tells_place = finding.offset && message.find(std::to_string(*finding.offset)) != std::string::npos;
  if (finding.offset && !tells_place) line += fmt::format("at byte {}: ", *finding.offset);
  if (!finding.record.empty() && message.find(finding.record) == std::string::npos) {
    line += fmt::format("\"{}\": ", printable(finding.record));
  }
  return line + message;
}

void tell(const Session& session, const std::string& path, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    const std::string line = fmt::format("{}: {}", path, finding_line(path, finding));
    if (finding.severity == Severity::note) {
      session.remark(line);
    } else {
      session.complain(line);
    }
  }
}

}  // namespace lq::cli
