// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq plot: a picture of benchmark results, drawn by the Python package with matplotlib.
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/python_program.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"

namespace lq::cli {
namespace {

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
    std::vector<std::string> words = {"--output=" + out};
    if (!kind.empty()) words.push_back("--kind=" + kind);
    if (session.quiet) words.emplace_back("-q");
    words.emplace_back("--");
    words.insert(words.end(), files.begin(), files.end());
    return run_python(session, {"plot", "limequat.benchmarks", "matplotlib", "draw pictures"}, words);
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
