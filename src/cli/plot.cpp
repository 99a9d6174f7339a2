// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq plot: a picture of benchmark results.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"
#include "plot/picture.hpp"
#include "plot/results.hpp"

namespace lq::cli {
namespace {

constexpr std::streamsize largest_file = 64 * 1024 * 1024;

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int reason = errno;
    throw Error(reason == ENOENT ? Code::not_found : Code::no_permission,
                fmt::format("{}: cannot open: {}", path, std::strerror(reason)),
                {.path = path, .system_errno = reason});
  }
  std::string text(static_cast<std::size_t>(largest_file), '\0');
  file.read(text.data(), largest_file);
  if (file.bad() || (file.fail() && !file.eof())) throw Error(Code::io, path + ": cannot read", {.path = path});
  if (file.gcount() == largest_file) {
    throw Error(Code::too_large, path + ": more than 64 MiB, which is no result of a benchmark", {.path = path});
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

struct Plot {
  std::vector<std::string> files;
  std::string out, kind;
  bool force = false;

  int draw(Session& session) const {
    if (out.empty()) throw UsageError("-o is missing: where to? For example -o rates.svg");
    if (!out.ends_with(".svg") && !out.ends_with(".png")) {
      throw UsageError(fmt::format("-o: \"{}\" ends neither in .svg nor in .png", printable(out)));
    }
    require_target(session, out, force);
    return at_root(session, [&] { return draw_here(session); });
  }

  int draw_here(Session& session) const {
    std::vector<plot::Result> results;
    for (const std::string& path : files) {
      const std::vector<plot::Result> some = plot::read_results(contents_of(path), path);
      results.insert(results.end(), some.begin(), some.end());
    }
    plot::Kind which = plot::kind_for(results);
    const auto* named = std::find(std::begin(plot::kind_names), std::end(plot::kind_names), kind);
    if (named != std::end(plot::kind_names)) which = static_cast<plot::Kind>(named - std::begin(plot::kind_names));
    save(plot::draw_results(results, which));
    if (!session.quiet) {
      session.out.line(fmt::format("{}: {} of {}", out, plot::kind_names[static_cast<std::size_t>(which)],
                                   fmt::format("{} result{}", results.size(), results.size() == 1 ? "" : "s")));
    }
    return fine;
  }

  void save(const plot::Picture& picture) const {
    if (out.ends_with(".png")) return plot::save_png(picture, out);
    std::ofstream file(out, std::ios::binary);
    file << to_svg(picture);
    file.close();
    if (file) return;
    const int reason = errno;
    throw Error(Code::io, fmt::format("{}: cannot write: {}", out, std::strerror(reason)),
                {.path = out, .system_errno = reason});
  }
};

}  // namespace

Run declare_plot(Arguments& arguments) {
  const auto plot = std::make_shared<Plot>();
  arguments.files("RESULT", plot->files, "JSON that \"lq bench\" wrote");
  arguments.text("-o,--output", "OUT", plot->out, "the picture, a .svg or .png file");
  arguments.text("--kind", "KIND", plot->kind, "what to draw (default: what the results suit)",
                 {std::begin(plot::kind_names), std::end(plot::kind_names)});
  arguments.flag("--overwrite,--force", plot->force, "replace an existing picture");
  return [plot](Session& session) { return plot->draw(session); };
}

}  // namespace lq::cli
