// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/copies.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include <limequat/error.hpp>

#include "base/clock.hpp"
#include "base/folder.hpp"

namespace lq::cli {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& what, int reason) {
  throw Error(Code::no_permission,
              fmt::format("{}: cannot {}: {}. Set XDG_STATE_HOME to a folder that can be written", path, what,
                          std::generic_category().message(reason)),
              {.path = path});
}

fs::path state_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "limequat/copies";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / ".local/state/limequat/copies";
  throw Error(Code::invalid_argument,
              "copies in the background: neither XDG_STATE_HOME nor HOME is set, so their state cannot be stored");
}

// Lines "name value"; what would end a line becomes a blank.
std::string text_of(const CopyState& state) {
  std::string text;
  const auto add = [&](std::string_view name, std::string value) {
    std::ranges::replace(value, '\n', ' ');
    text += fmt::format("{} {}\n", name, value);
  };
  add("host", state.host);
  add("from", state.from);
  add("to", state.to);
  add("state", state.state);
  add("done", std::to_string(state.done));
  add("total", std::to_string(state.total));
  add("seconds", fmt::format("{:.1f}", state.seconds));
  add("message", state.message);
  return text;
}

CopyState state_of(const std::string& id, std::istream& text) {
  std::map<std::string, std::string> values;
  for (std::string line; std::getline(text, line);) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string::npos) values[line.substr(0, blank)] = line.substr(blank + 1);
  }
  const auto number = [&](const char* name) { return std::strtoull(values[name].c_str(), nullptr, 10); };
  return {.id = id,
          .host = values["host"],
          .from = values["from"],
          .to = values["to"],
          .state = values["state"],
          .done = number("done"),
          .total = number("total"),
          .seconds = std::strtod(values["seconds"].c_str(), nullptr),
          .message = values["message"]};
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// The file with the state, open and locked as long as this lives.
class StateFile {
 public:
  explicit StateFile(const fs::path& path) : path_(path.string()) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor_ < 0) fail(path_, "keep the state of the copy", errno);
    ::flock(descriptor_, LOCK_EX | LOCK_NB);
  }
  ~StateFile() { ::close(descriptor_); }
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  // In place, for the lock is on this file. That it cannot be told does not end the copy.
  bool put(const CopyState& state) noexcept {
    try {
      const std::string text = text_of(state);
      if (::pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) return false;
      return ::ftruncate(descriptor_, static_cast<off_t>(text.size())) == 0;
    } catch (...) {
      return false;
    }
  }

 private:
  std::string path_;
  int descriptor_;
};

// Whether some process holds the lock.
bool is_held(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return held;
}

void leave_terminal() {
  ::setsid();
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor < 3; ++descriptor) ::dup2(nowhere, descriptor);
  if (nowhere > 2) ::close(nowhere);
}

// In the new process.
void carry_out(StateFile& file, CopyState state, const std::function<std::string(const Tell&)>& work) {
  const base::Stopwatch watch;
  constexpr double often = 0.5;  // seconds
  double next = 0;
  const auto tell = [&](std::uint64_t done, std::uint64_t total) {
    state.done = done;
    state.total = total;
    state.seconds = watch.seconds();
    if (state.seconds < next) return;
    next = state.seconds + often;
    file.put(state);
  };
  try {
    state.message = work(tell);
    state.state = "done";
  } catch (const std::exception& error) {
    state.message = error.what();
    state.state = "failed";
  }
  state.seconds = watch.seconds();
  file.put(state);
}

}  // namespace

std::vector<CopyState> copies() {
  std::vector<CopyState> found;
  const fs::path folder = state_folder();
  std::vector<std::string> names;
  if (const int failure = base::names_in(folder.string(), names); failure != 0 && failure != ENOENT) {
    fail(folder.string(), "read the states of copies", failure);
  }
  for (const std::string& name : names) {
    std::ifstream text(folder / name);
    CopyState state = state_of(name, text);
    if (state.state == "running" && !is_held(folder / name)) {
      state.state = "stopped";
      state.message = "its process has ended; copy again with --resume";
    }
    found.push_back(std::move(state));
  }
  std::ranges::sort(found, {}, &CopyState::id);
  return found;
}

CopyState start_copy(const std::string& from, const std::string& to,
                     const std::function<std::string(const Tell&)>& work) {
  const fs::path folder = state_folder();
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) fail(folder.string(), "make the folder", failure.value());
  CopyState state{.id = fmt::format("{:%Y%m%d-%H%M%S}-{}", fmt::localtime(std::time(nullptr)), ::getpid()),
                  .host = host_name(),
                  .from = from,
                  .to = to,
                  .state = "running",
                  .message = {}};
  StateFile file(folder / state.id);
  if (!file.put(state)) fail((folder / state.id).string(), "keep the state of the copy", errno);
  const pid_t child = ::fork();
  if (child < 0) fail((folder / state.id).string(), "start a process for the copy", errno);
  if (child > 0) return state;
  leave_terminal();
  carry_out(file, state, work);
  ::_exit(0);
}

}  // namespace lq::cli
