// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq manifest, lq set: what the Python package does with files of an ensemble.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/python_program.hpp"
#include "cli/session.hpp"

namespace lq::cli {
namespace {

struct Manifest {
  std::string path, output, algorithm;
  bool is_bag = false, checks = false, skips_verification = false, accepts_damage = false, overwrite = false;
  int threads = 0;

  int run(const Session& session) const {
    std::vector<std::string> words = {fmt::format("-j{}", threads)};
    if (!output.empty()) words.push_back("--output=" + output);
    if (!algorithm.empty()) words.push_back("--algorithm=" + algorithm);
    const std::pair<bool, const char*> flags[] = {{is_bag, "--bag"},
                                                  {checks, "--check"},
                                                  {skips_verification, "--no-verify"},
                                                  {overwrite, "--overwrite"},
                                                  {session.quiet, "-q"},
                                                  {session.json, "--json"},
                                                  {accepts_damage, "--accept-damage"}};
    for (const auto& [is_given, flag] : flags) {
      if (is_given) words.emplace_back(flag);
    }
    words.emplace_back("--");
    words.push_back(path);
    return run_python(session, {"manifest", "limequat.manifests", "", "sums files"}, words);
  }
};

struct Set {
  std::string path, name, output;
  std::vector<std::string> changes;
  bool overwrite = false, allows_loss = false;

  int run(const Session& session) const {
    std::vector<std::string> words;
    if (!name.empty()) words.push_back("--name=" + name);
    if (!output.empty()) words.push_back("--output=" + output);
    if (overwrite) words.emplace_back("--overwrite");
    if (allows_loss) words.emplace_back("--allow-loss");
    if (session.quiet) words.emplace_back("-q");
    if (session.json) words.emplace_back("--json");
    words.emplace_back("--");
    words.push_back(path);
    words.insert(words.end(), changes.begin(), changes.end());
    return run_python(session, {"set", "limequat.changing", "", "writes files anew"}, words);
  }
};

}  // namespace

Run declare_manifest(Arguments& arguments) {
  const auto manifest = std::make_shared<Manifest>();
  arguments.file("DIR", manifest->path, "folder to sum; with --check a folder, a bag or a manifest");
  arguments.text("-o,--output", "FILE", manifest->output, "the manifest (default: DIR/manifest-sha256.txt)");
  arguments.text("--algorithm", "NAME", manifest->algorithm, "of the digests (default sha256)",
                 {"md5", "sha1", "sha256", "sha512"});
  arguments.flag("--bag", manifest->is_bag, "a bag of BagIt: DIR/data is its payload");
  arguments.flag("--check", manifest->checks, "compare files with a manifest, and verify them while they are read");
  arguments.flag("--no-verify", manifest->skips_verification, "sum alone, do not verify lattice files");
  arguments.flag("--accept-damage", manifest->accepts_damage, "damaged files get a digest like any other");
  arguments.flag("--overwrite,--force", manifest->overwrite, "replace an existing manifest");
  arguments.number("-j,--threads", manifest->threads, "files read at the same time (default: one for each core)");
  return [manifest](Session& session) { return at_root(session, [&] { return manifest->run(session); }); };
}

Run declare_set(Arguments& arguments) {
  const auto set = std::make_shared<Set>();
  arguments.file("FILE", set->path, "file whose texts are changed, by a new file in its place");
  arguments.optional_words("KEY=VALUE", set->changes, "a fact such as beta=6.1, or a whole text by its name");
  arguments.text("--name", "NAME", set->name, "new name of its field");
  arguments.text("-o,--output", "OUT", set->output, "the new file (default: it takes the place of FILE)");
  arguments.flag("--overwrite,--force", set->overwrite, "replace an existing OUT");
  arguments.flag("--allow-loss", set->allows_loss, "omit what the new file cannot store");
  return [set](Session& session) {
    if (set->changes.empty() && set->name.empty()) {
      throw UsageError("what is to be changed? key=value, or --name NAME");
    }
    return at_root(session, [&] { return set->run(session); });
  };
}

}  // namespace lq::cli
