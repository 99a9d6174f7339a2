// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq manifest, lq set, lq plot: verbs of the Python package for files of an ensemble and for benchmark results.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/python_program.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"

namespace lq::cli {
namespace {

// A verb of the package: its options are passed on.
struct PythonVerb {
  PythonProgram program;
  std::string path = {}, output = {}, name = {};
  std::vector<std::string> files = {}, words = {};
  int threads = 0;
  bool overwrite = false;

  void option(Arguments& arguments, const std::string& names, const std::string& value, const std::string& help,
              std::vector<std::string> choices = {}) {
    const std::string full = names.substr(names.find("--"), names.find(',', names.find("--")) - names.find("--"));
    arguments.add({.names = split(names, ','),
                   .value = value,
                   .help = help,
                   .choices = std::move(choices),
                   .take = [this, full, value](const std::string& text) {
                     if (value.empty() || !text.empty()) words.push_back(value.empty() ? full : full + "=" + text);
                   }});
  }
  int run(Session& session) const {
    return at_root(session, [&] { return run_python(session, program, words, files); });
  }
};

}  // namespace

Run declare_manifest(Arguments& arguments) {
  const auto verb = std::make_shared<PythonVerb>(PythonVerb{{"manifest", "limequat.manifests", "", "sums files"}});
  arguments.file("DIR", verb->path, "folder to sum; with --check a folder, a bag or a manifest");
  verb->option(arguments, "-o,--output", "FILE", "the manifest (default: DIR/manifest-sha256.txt)");
  verb->option(arguments, "--algorithm", "NAME", "algorithm of the digests (default sha256)",
               {"md5", "sha1", "sha256", "sha512"});
  verb->option(arguments, "--bag", "", "a bag of BagIt: DIR/data is its payload");
  verb->option(arguments, "--check", "", "compare files with a manifest, and verify them in the same pass");
  verb->option(arguments, "--no-verify", "", "compute digests only, do not verify lattice files");
  verb->option(arguments, "--accept-damage", "", "damaged files get a digest like any other");
  verb->option(arguments, "--overwrite,--force", "", "replace an existing manifest");
  arguments.number("-j,--threads", verb->threads, "files read at the same time (default: one for each core)");
  return [verb](Session& session) {
    verb->words.push_back(fmt::format("-j{}", verb->threads));
    verb->files = {verb->path};
    return verb->run(session);
  };
}

Run declare_set(Arguments& arguments) {
  const auto verb = std::make_shared<PythonVerb>(PythonVerb{{"set", "limequat.changing", "", "rewrites files"}});
  arguments.file("FILE", verb->path, "file whose texts to change; a new file replaces it");
  arguments.optional_words("KEY=VALUE", verb->files, "a fact such as beta=6.1, or a whole text by its name");
  arguments.text("--name", "NAME", verb->name, "new name of the field");
  verb->option(arguments, "-o,--output", "OUT", "new file (default: replaces FILE)");
  verb->option(arguments, "--overwrite,--force", "", "replace an existing OUT");
  verb->option(arguments, "--allow-loss", "", "omit what the new file cannot store");
  verb->option(arguments, "--accept-damage", "", "keep numbers that no checksum proves and that look damaged");
  return [verb](Session& session) {
    if (verb->files.empty() && verb->name.empty()) {
      throw UsageError("what to change? key=value, or --name NAME");
    }
    if (!verb->name.empty()) verb->words.push_back("--name=" + verb->name);
    verb->files.insert(verb->files.begin(), verb->path);
    return verb->run(session);
  };
}

Run declare_plot(Arguments& arguments) {
  const auto verb =
      std::make_shared<PythonVerb>(PythonVerb{{"plot", "limequat.benchmarks", "matplotlib", "draw pictures"}});
  arguments.files("RESULT", verb->files, "JSON that \"lq bench\" wrote");
  arguments.text("-o,--output", "OUT", verb->output, "the picture, a .svg, .pdf or .png file");
  verb->option(arguments, "--kind", "KIND", "what to draw (default: what the results suit)",
               {"rate-by-ranks", "rate-by-size", "steps", "ratio", "create-by-tasks", "rate-by-files",
                "rate-per-server", "rate-by-threads", "rate-by-aggregators", "spread", "program-parts"});
  verb->option(arguments, "--direction", "DIRECTION", "only this one (default: all)", {"write", "read"});
  arguments.flag("--overwrite,--force", verb->overwrite, "replace an existing picture");
  return [verb](Session& session) {
    const std::string& out = verb->output;
    if (out.empty()) throw UsageError("-o is missing: name the output file, for example -o rates.svg");
    if (!out.ends_with(".svg") && !out.ends_with(".pdf") && !out.ends_with(".png")) {
      throw UsageError(fmt::format("-o: \"{}\" ends in none of .svg, .pdf and .png", printable(out)));
    }
    require_target(session, out, verb->overwrite);
    verb->words.insert(verb->words.begin(), "--output=" + out);
    return verb->run(session);
  };
}

}  // namespace lq::cli
