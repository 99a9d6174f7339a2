// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/session.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/json.hpp>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "io/new_file.hpp"

namespace lq::cli {

std::string on_one_line(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? std::string("\\x0a") : std::string(1, c);
  return result;
}

Output::Output(bool prints, bool under_launcher)
    : prints_(prints),
      is_terminal_(::isatty(STDOUT_FILENO) == 1),
      is_coloured_(!under_launcher && shows_colours(STDOUT_FILENO)) {}

void Output::call(std::string path, std::string name) {
  path_ = std::move(path);
  name_ = std::move(name);
}

std::string Output::named(std::string_view text) const {
  std::string result(text);
  if (path_.empty()) return result;
  for (std::size_t at = 0; (at = result.find(path_, at)) != std::string::npos; at += name_.size()) {
    result.replace(at, path_.size(), name_);
  }
  return result;
}

void Output::write(std::string_view bytes) {
  const std::string text = named(bytes);
  put(is_terminal_ ? base::printable_text(text) : text);
}

void Output::write(const Pieces& pieces) {
  for (const Piece& piece : pieces) {
    const std::string text = named(piece.text);
    put(is_terminal_ ? in_colour(base::printable_text(text), is_coloured_ ? piece.style : Style::plain) : text);
  }
}

void Output::write_data(std::string_view bytes, bool under_launcher) {
  if (under_launcher || !is_terminal_) {
    put(bytes);
  } else {
    put(base::printable_text(bytes));
  }
}

void Output::put(std::string_view bytes) {
  if (!prints_ || failure_ != 0 || bytes.empty()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) failure_ = errno != 0 ? errno : EIO;
}

void Output::line(std::string_view text) { write(on_one_line(text) + '\n'); }

void Output::line(Pieces pieces) {
  for (Piece& piece : pieces) piece.text = on_one_line(piece.text);
  pieces.push_back({"\n"});
  write(pieces);
}

int Output::finish() {
  if (!prints_) return 0;
  if (std::fflush(stdout) != 0 && failure_ == 0) failure_ = errno != 0 ? errno : EIO;
  return failure_ == EPIPE ? 0 : failure_;
}

namespace {

// The word that says how bad it is: at the beginning, or after the path.
std::string with_severity_in_colour(const std::string& message) {
  for (const auto& [word, style] : {std::pair{"error: ", Style::bad}, std::pair{"warning: ", Style::warning}}) {
    const std::string after_path = std::string(": ") + word;
    const bool is_first = message.starts_with(word);
    const std::size_t found = is_first ? 0 : message.find(after_path);
    if (found == std::string::npos) continue;
    const std::size_t at = is_first ? 0 : found + 2, length = std::strlen(word) - 1;
    return message.substr(0, at) + in_colour(message.substr(at, length), style) + message.substr(at + length);
  }
  return message;
}

}  // namespace

void Session::complain(std::string_view message) const {
  if (!is_root()) return;
  std::fflush(stdout);  // keeps the order where both go to one terminal
  std::string shown = out.named(in_arguments(message));
  if (::isatty(STDERR_FILENO) == 1) shown = base::printable_text(shown);
  if (!is_under_launcher() && shows_colours(STDERR_FILENO)) shown = with_severity_in_colour(shown);
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
  if (session.is_root()) base::keep_failure(failure, [&] { code = work(); });
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

int tell(Session& session, const std::string& path, const Error& of_library) {
  const Error error(of_library.code(), in_arguments(of_library.what()), of_library.facts());
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
  const std::string message = in_arguments(without_path(finding.message, path));
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

namespace {

[[noreturn]] void fail(const std::string& what, int reason) {
  const bool is_full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
  throw Error(is_full ? Code::no_space : Code::io,
              what + ": " + std::strerror(reason) + " (TMPDIR names another folder for temporary files)",
              {.path = "-", .system_errno = reason});
}

void write_all(int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(file, bytes, count);
    if (written < 0 && errno != EINTR) fail("cannot keep standard input in a temporary file", errno);
    if (written < 0) continue;
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

}  // namespace

bool is_pipe(const std::string& path) noexcept {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

StandardInput::StandardInput(const std::string& path) {
  const char* temporary = std::getenv("TMPDIR");
  folder_ = std::string(temporary != nullptr && *temporary != '\0' ? temporary : "/tmp") + "/lq-XXXXXX";
  if (::mkdtemp(folder_.data()) == nullptr) fail("cannot make a folder for standard input", errno);
  path_ = folder_ + "/standard-input";
  try {
    copy(path);
  } catch (...) {
    ::unlink(path_.c_str());
    ::rmdir(folder_.c_str());
    throw;
  }
}

StandardInput::~StandardInput() {
  ::unlink(path_.c_str());
  ::rmdir(folder_.c_str());
}

void StandardInput::copy(const std::string& from) const {
  struct Closed {
    int file;
    ~Closed() {
      if (file != STDIN_FILENO) ::close(file);
    }
  };
  const Closed source{from == "-" ? STDIN_FILENO : ::open(from.c_str(), O_RDONLY | O_CLOEXEC)};
  if (source.file < 0) fail("cannot open the pipe " + from, errno);
  const Closed target{::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (target.file < 0) fail("cannot make a file for standard input", errno);
  std::vector<char> block(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = ::read(source.file, block.data(), block.size());
    if (got == 0) return;
    if (got < 0 && errno != EINTR) fail("cannot read standard input", errno);
    if (got > 0) write_all(target.file, block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace lq::cli
