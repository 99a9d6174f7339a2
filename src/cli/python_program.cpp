// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/python_program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <limequat/error.hpp>

#include "cli/exit_code.hpp"
#include "cli/progress.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every <unistd.h>

namespace lq::cli {
namespace {

#ifdef SOCK_CLOEXEC
constexpr int closed_in_children = SOCK_CLOEXEC;
#else
constexpr int closed_in_children = 0;
#endif

namespace fs = std::filesystem;

constexpr int lacks_packages = 77;

// Prefers the package installed with this program, and uses none from the current folder. A signal that ends a program
// ends it once: a terminal sends it to this process too, which forwards it. If this process is killed, which it cannot
// forward, Linux kills a program that it waits for (1: PR_SET_PDEATHSIG); one that serves files sees its socket closed.
constexpr const char* bootstrap = R"(import ctypes, os, signal, sys, warnings
warnings.showwarning = lambda message, *rest, **more: print("lq: warning:", message, file=sys.stderr)
sys.path[:] = [folder for folder in sys.path if folder]
beside, verbose = sys.argv[1:3]
del sys.argv[1:3]
if {} and hasattr(ctypes.CDLL(None), "prctl"): ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.path.isdir(os.path.join(beside, "limequat")): sys.path.insert(0, beside)
told = []
ending = [number for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) != signal.SIG_IGN]
def end(number, frame):
    told.append(number)
    for each in ending: signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt
for number in ending: signal.signal(number, end)
try:
    try:
        import {}
        from {} import main
    except ImportError as error:
        if verbose: print(f"lq: {{sys.executable}}: {{error}}", file=sys.stderr)
        if not told: sys.exit(77)
    if told: raise KeyboardInterrupt
    code = main(sys.argv[1:])
except KeyboardInterrupt:
    code = 130
if told:
    signal.signal(told[0], signal.SIG_DFL)
    os.kill(os.getpid(), told[0])
sys.exit(code))";

// Each python3 on the path, in order.
std::vector<std::string> interpreters() {
  std::vector<std::string> found;
  const char* path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::string candidate = folders.substr(at, end - at) + "/python3";
    const bool is_known = std::find(found.begin(), found.end(), candidate) != found.end();
    if (end > at && !is_known && ::access(candidate.c_str(), X_OK) == 0) found.push_back(candidate);
    at = end + 1;
  }
  return found;
}

// Starts the process; -1 if that fails. `end` 0 or more: its standard input and output.
pid_t spawn(std::vector<std::string> words, int end = -1) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return -1;
  bool is_ready = true;
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO}) {
    is_ready = is_ready && (end < 0 || ::posix_spawn_file_actions_adddup2(&actions, end, standard) == 0);
  }
  pid_t child = -1;
  if (!is_ready || ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) child = -1;
  ::posix_spawn_file_actions_destroy(&actions);
  return child;
}

// The exit code of an ended process. While it works, `meanwhile` is called every 10 ms, if given.
int exit_code_of_process(pid_t child, void (*meanwhile)() = nullptr) {
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, meanwhile != nullptr ? WNOHANG : 0);
    if (ended < 0 && errno != EINTR) return environment;
    if (ended > 0) break;
    if (ended < 0 || meanwhile == nullptr) continue;
    meanwhile();
    const timespec nap{0, 10'000'000};
    ::nanosleep(&nap, nullptr);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(environment);
}

volatile std::sig_atomic_t working_child = 0, handed_on = 0;

void hand_on(int signal) {
  handed_on = signal;
  std::signal(signal, SIG_DFL);
  ::kill(static_cast<pid_t>(working_child), signal);
}

// Signals that other ranks received.
void hand_on_of_ranks() {
  if (handed_on == 0 && is_asked_to_end()) hand_on(SIGINT);
}

// Its exit code. What this process is told the program is told, and this process ends like it.
int run_program(const std::vector<std::string>& words, bool has_ranks) {
  const pid_t child = spawn(words);
  if (child < 0) return lacks_packages;
  working_child = static_cast<std::sig_atomic_t>(child);
  int code = fine;
  {
    const OnEnding handing_on(hand_on);
    code = exit_code_of_process(child, has_ranks ? hand_on_of_ranks : nullptr);
  }
  // Ranks that know of it end together.
  if (handed_on != 0 && code != fine && !is_asked_to_end()) std::raise(handed_on);
  return code;
}

// "limequat and matplotlib", "limequat matplotlib"
std::string with_package(const PythonProgram& program, std::string_view between) {
  return program.packages.empty() ? "limequat" : fmt::format("limequat{}{}", between, program.packages);
}

// The arguments of the interpreter that start the program.
std::vector<std::string> command_of(const PythonProgram& program, bool is_waited_for, bool is_verbose,
                                    const std::vector<std::string>& words) {
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  const std::string needed = program.packages.empty() ? "limequat" : program.packages;
  std::vector<std::string> command = {"", "-c",
                                      fmt::format(bootstrap, is_waited_for ? "True" : "False", needed, program.module),
                                      self.parent_path().parent_path() / "lib" / "python", is_verbose ? "verbose" : ""};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

[[noreturn]] void refuse(const PythonProgram& program, const std::vector<std::string>& tried) {
  const bool is_one = program.packages.empty();
  const std::string why =
      tried.empty() ? "there is no python3 on your PATH"
                    : fmt::format("{} cannot import {} (-v: why)", fmt::join(tried, ", "), is_one ? "it" : "them");
  throw Error(
      Code::unsupported,
      fmt::format("{}the Python package{} {} {}, and {}. Install {} (\"pip install {}\") for the first python3 "
                  "on your PATH",
                  program.verb.empty() ? "" : program.verb + ": ", is_one ? "" : "s", with_package(program, " and "),
                  program.purpose, why, is_one ? "it" : "them", with_package(program, " ")));
}

}  // namespace

int run_python(const Session& session, const PythonProgram& program, std::vector<std::string> words,
               const std::vector<std::string>& files) {
  if (session.quiet) words.emplace_back("-q");
  if (session.json) words.emplace_back("--json");
  words.emplace_back("--");
  words.insert(words.end(), files.begin(), files.end());
  std::vector<std::string> command = command_of(program, true, session.verbose, words), tried;
  for (const std::string& interpreter : interpreters()) {
    command.front() = interpreter;
    const int code = run_program(command, session.communicator.size() > 1);
    if (code != lacks_packages) return code;
    tried.push_back(interpreter);
  }
  refuse(program, tried);
}

int start_python(const PythonProgram& program, const std::vector<std::string>& words,
                 const std::function<bool(int socket)>& answers) {
  std::vector<std::string> command = command_of(program, false, false, words), tried;
  for (const std::string& interpreter : interpreters()) {
    command.front() = interpreter;
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | closed_in_children, 0, ends.data()) != 0) {
      throw Error(Code::io, fmt::format("cannot start {}: {}", interpreter, std::generic_category().message(errno)));
    }
    if constexpr (closed_in_children == 0) {
      for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    }
    const pid_t child = spawn(command, ends[1]);
    ::close(ends[1]);
    if (child >= 0 && answers(ends[0])) return ends[0];
    ::close(ends[0]);
    if (child >= 0) exit_code_of_process(child);
    tried.push_back(interpreter);
  }
  refuse(program, tried);
}

}  // namespace lq::cli
