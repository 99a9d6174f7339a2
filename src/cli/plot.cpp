// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq plot: a picture of benchmark results, drawn by the Python package with matplotlib.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <limequat/error.hpp>

#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"

namespace lq::cli {
namespace {

namespace fs = std::filesystem;

constexpr int lacks_packages = 77;

// Takes the package installed with this program before any other, and none from the current folder.
constexpr const char* bootstrap = R"(import os, sys
sys.path[:] = [folder for folder in sys.path if folder]
beside, verbose = sys.argv[1:3]
del sys.argv[1:3]
if os.path.isdir(os.path.join(beside, "limequat")): sys.path.insert(0, beside)
try:
    import matplotlib
    from limequat.benchmarks import main
except ImportError as error:
    if verbose: print(f"lq: {sys.executable}: {error}", file=sys.stderr)
    sys.exit(77)
sys.exit(main(sys.argv[1:])))";

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

// Its exit code.
int run_program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  int status = ::posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (status != 0) return lacks_packages;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return environment;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(environment);
}

struct Plot {
  std::vector<std::string> files;
  std::string out, kind;
  bool force = false;

  int draw(Session& session) const {
    if (out.empty()) throw UsageError("-o is missing: name the output file, for example -o rates.svg");
    if (!out.ends_with(".svg") && !out.ends_with(".png")) {
      throw UsageError(fmt::format("-o: \"{}\" ends neither in .svg nor in .png", printable(out)));
    }
    require_target(session, out, force);
    return at_root(session, [&] { return draw_here(session); });
  }

  int draw_here(const Session& session) const {
    std::error_code failure;
    const fs::path program = fs::read_symlink("/proc/self/exe", failure);
    std::vector<std::string> words = {"-c", bootstrap, program.parent_path().parent_path() / "lib" / "python",
                                      session.verbose ? "verbose" : "", "--output=" + out};
    if (!kind.empty()) words.push_back("--kind=" + kind);
    if (session.quiet) words.emplace_back("-q");
    words.emplace_back("--");
    words.insert(words.end(), files.begin(), files.end());
    std::vector<std::string> tried;
    for (const std::string& interpreter : interpreters()) {
      std::vector<std::string> command = words;
      command.insert(command.begin(), interpreter);
      const int code = run_program(command);
      if (code != lacks_packages) return code;
      tried.push_back(interpreter);
    }
    throw Error(Code::unsupported,
                fmt::format("plot: the Python packages limequat and matplotlib draw pictures, and {}. Install them "
                            "(\"pip install limequat matplotlib\") for the first python3 on your PATH",
                            tried.empty() ? "there is no python3 on your PATH"
                                          : fmt::format("{} cannot import them (-v: why)", fmt::join(tried, ", "))));
  }
};

}  // namespace

Run declare_plot(Arguments& arguments) {
  const auto plot = std::make_shared<Plot>();
  arguments.files("RESULT", plot->files, "JSON that \"lq bench\" wrote");
  arguments.text("-o,--output", "OUT", plot->out, "the picture, a .svg or .png file");
  arguments.text("--kind", "KIND", plot->kind, "what to draw (default: what the results suit)",
                 {"rate-by-ranks", "rate-by-size", "steps", "ratio", "create-by-tasks", "rate-by-files",
                  "rate-per-server", "rate-by-threads"});
  arguments.flag("--overwrite,--force", plot->force, "replace an existing picture");
  return [plot](Session& session) { return plot->draw(session); };
}

}  // namespace lq::cli
