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
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/json.hpp>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
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

void Output::call(std::string path, std::string name) { names_.emplace_back(std::move(path), std::move(name)); }

std::string Output::named(std::string_view text) const {
  std::string result(text);
  for (const auto& [path, name] : names_) {
    for (std::size_t at = 0; (at = result.find(path, at)) != std::string::npos; at += name.size()) {
      result.replace(at, path.size(), name);
    }
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
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) != bytes.size()) failure_ = errno != 0 ? errno : EIO;
}

void Output::line(std::string_view text) { write(on_one_line(text) + '\n'); }

void Output::line(Pieces pieces) {
  for (Piece& piece : pieces) piece.text = on_one_line(piece.text);
  pieces.push_back({"\n"});
  write(pieces);
}

int Output::finish() {
  if (!prints_) return 0;
  if (std::fflush(stream_) != 0 && failure_ == 0) failure_ = errno != 0 ? errno : EIO;
  return failure_ == EPIPE ? 0 : failure_;
}

namespace {

// The word for the severity: at the beginning, or after the path.
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
  std::fflush(stdout);  // keeps the order if both go to one terminal
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

int for_each_file(Session& session, const std::vector<std::string>& files,
                  const std::function<int(const std::string& path)>& work) {
  int code = fine;
  for (const std::string& path : files) {
    end_if_asked(session);
    if (!session.from_root(session.out.wants_more() ? 1 : 0)) break;
    try {
      code = worse(code, work(path));
    } catch (const Error& error) {
      code = worse(code, tell(session, path, error));
      if (error.facts().system_errno == ECANCELED) break;
    }
  }
  return code;
}

int tell(Session& session, const std::string& path, const Error& of_library) {
  const Error error(of_library.code(), in_arguments(of_library.what()), of_library.facts());
  if (session.json) {
    base::JsonWriter json;
    json.begin_object().member("path", path).key("error").raw(to_json(error)).end_object();
    session.out.line(json.take());
  }
  // Not every message of the library contains the file's name.
  const std::string sentence = error.what();
  const auto names = [&](const std::string& file) { return !file.empty() && sentence.find(file) != std::string::npos; };
  const bool says_which = path.empty() || names(path) || names(error.facts().path);
  session.complain(says_which ? sentence : path + ": " + sentence);
  int code = exit_code_of(error);
  // True for the file itself; not for something in it.
  const bool says_how = sentence.find("--overwrite") != std::string::npos;
  if (error.code() == Code::exists && error.facts().record.empty() && !says_how) {
    session.complain("--overwrite replaces it");
  }
  if (error.code() == Code::not_found && session.is_root()) {
    for (const std::string& leftover : io::leftovers_of(path)) {
      session.complain(fmt::format("{}: an interrupted writer left \"{}\"; \"{} verify {}\" shows how much it contains",
                                   path, leftover, session.program, leftover));
      code = incomplete;
    }
  }
  return session.from_root(code);
}

std::string finding_line(const std::string& path, const Finding& finding) {
  std::string line = fmt::format("{}: ", name(finding.severity));
  const std::string message = in_arguments(without_path(finding.message, path));
  // The position, unless the message contains it.
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

// Returns false and sets errno if not all were written.
bool write_all(int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(file, bytes, count);
    if (written < 0 && errno != EINTR) return false;
    if (written < 0) continue;
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

bool is_pipe(const std::string& word) noexcept {
  struct stat status {};
  return word == "-" || (::stat(word.c_str(), &status) == 0 && S_ISFIFO(status.st_mode));
}

void require_one_rank(const std::string& pipe, bool is_alone) {
  if (is_alone) return;
  throw Error(Code::unsupported, pipe + ": only one rank can use a pipe: use lq, or name a file", {.path = pipe});
}

namespace {

std::string temporary_folder() {
  const char* temporary = std::getenv("TMPDIR");
  std::string folder = std::string(temporary != nullptr && *temporary != '\0' ? temporary : "/tmp") + "/lq-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) fail("cannot create a folder for data that go through a pipe", errno);
  return folder;
}

// An open file, closed on destruction except for standard input and output.
struct Opened {
  int file;
  ~Opened() {
    if (file > STDERR_FILENO) ::close(file);
  }
};

// Copies the file to the reader of the pipe. A reader that has gone has all it needs.
int pass_on(Session& session, const std::string& folder, const std::string& path, const std::string& target) {
  const auto files = std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
  if (files != 1) {
    throw Error(Code::unsupported,
                fmt::format("{}: this makes {} files, and a pipe takes only one; name a file", target, files),
                {.path = target});
  }
  const Opened source{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  const Opened pipe{target == "-" ? STDOUT_FILENO : ::open(target.c_str(), O_WRONLY | O_CLOEXEC)};
  if (source.file < 0 || pipe.file < 0) fail("cannot open " + (source.file < 0 ? path : target), errno);
  std::vector<char> block(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = ::read(source.file, block.data(), block.size());
    if (got == 0) return fine;
    if (got < 0 && errno != EINTR) fail("cannot read " + path, errno);
    if (got > 0 && !write_all(pipe.file, block.data(), static_cast<std::size_t>(got))) {
      if (errno == EPIPE) return fine;
      session.complain(fmt::format("cannot write to {}: {}; it is incomplete",
                                   target == "-" ? std::string(standard_output) : target, std::strerror(errno)));
      return environment;
    }
  }
}

}  // namespace

int for_target(Session& session, const std::string& target, const std::function<int(const std::string& path)>& work) {
  if (!is_pipe(target)) return for_each_file(session, {target}, work);
  require_one_rank(target, session.communicator.size() == 1);
  if (target == "-" && session.out.is_terminal() && !session.is_under_launcher()) {
    throw UsageError("-: standard output is a terminal; redirect it (\"> FILE\"), or name a file");
  }
  const std::string folder = temporary_folder(), path = folder + "/standard-output";
  session.out.call(path, target == "-" ? std::string(standard_output) : target);
  session.out.leave_standard_output();
  const int code = for_each_file(session, {path}, [&](const std::string& to) {
    const int written = work(to);
    std::error_code failure;
    return std::filesystem::exists(to, failure) ? worse(written, pass_on(session, folder, to, target)) : written;
  });
  std::error_code failure;
  std::filesystem::remove_all(folder, failure);
  return code;
}

StandardInput::StandardInput(const std::string& path) : folder_(temporary_folder()) {
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
  const Opened source{from == "-" ? STDIN_FILENO : ::open(from.c_str(), O_RDONLY | O_CLOEXEC)};
  if (source.file < 0) fail("cannot open the pipe " + from, errno);
  const Opened target{::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (target.file < 0) fail("cannot create a file for standard input", errno);
  std::vector<char> block(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = ::read(source.file, block.data(), block.size());
    if (got == 0) return;
    if (got < 0 && errno != EINTR) fail("cannot read standard input", errno);
    if (got > 0 && !write_all(target.file, block.data(), static_cast<std::size_t>(got))) {
      fail("cannot copy standard input to a temporary file", errno);
    }
  }
}

}  // namespace lq::cli
