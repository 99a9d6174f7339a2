// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq export: files that show the numbers of other ones, which stay where they are. --virtual: in HDF5; --references: as
// a Zarr array of all files, by the Python package.
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <limequat/inspect.hpp>
#include <limequat/repack.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/python_program.hpp"

namespace lq::cli {
namespace {

constexpr const char* readers_beware =
    "{}: readers that do not follow external data show zeros or NaN without a word (VirtualiZarr and kerchunk do), and "
    "the data are lost "
    "to all if {} is moved; \"lq export --references\" makes references for Zarr";

struct Export {
  std::vector<std::string> from;
  std::string to, field;
  std::optional<std::string> prefix;
  std::uint64_t slices = 1;
  bool is_virtual = false, are_references = false;
  RepackOptions options;

  int run(Session& session, const std::string& path) const {
    ConvertOptions how;
    how.write.overwrite = options.overwrite;
    how.write.sync = options.sync;
    if (is_pipe(to)) how.write.format = "hdf5";
    how.limits = options.limits;
    how.dry_run = options.dry_run;
    const std::string& source = from.front();
    lq::export_virtual(source, path, session.communicator, how);
    if (session.json) {
      session.out.object("path", path, "source", source, "dry_run", options.dry_run);
    } else if (!session.quiet) {
      session.out.line(fmt::format("{}: {} the fields of {}, whose data stay there{}", path,
                                   options.dry_run ? "would show" : "shows", source,
                                   options.dry_run ? "; nothing was written" : ""));
    }
    if (!options.dry_run) session.note(fmt::format(readers_beware, path, source));
    return fine;
  }

  int make_references(const Session& session) const {
    std::vector<std::string> words = {"--output=" + to, fmt::format("--slices={}", slices)};
    if (!field.empty()) words.push_back("--field=" + field);
    if (prefix) words.push_back("--prefix=" + *prefix);
    if (options.overwrite) words.emplace_back("--overwrite");
    return run_python(session, {"export", "limequat.zarr_references", "", "makes references"}, words, from);
  }

  void require_sense() const {
    if (is_virtual == are_references) {
      throw UsageError("either --virtual (an HDF5 file) or --references (a Zarr array); for a copy use \"lq convert\"");
    }
    if (std::any_of(from.begin(), from.end(), is_pipe)) {
      throw UsageError("what comes through a pipe has no place that can be referred to; save it as a file first");
    }
    if (to.empty()) throw UsageError("-o OUT is missing: which file is to be written?");
    if (is_virtual && from.size() > 1)
      throw UsageError("--virtual shows one file; --references shows many as one array");
    if (are_references && options.dry_run) throw UsageError("--dry-run requires --virtual; references copy no data");
    if (is_virtual && (!field.empty() || prefix || slices != 1)) {
      throw UsageError("--field, --slices and --prefix require --references");
    }
  }
};

}  // namespace

Run declare_export(Arguments& arguments) {
  const auto exported = std::make_shared<Export>();
  arguments.files("FILE", exported->from,
                  "file with fields whose numbers are stored contiguously; for --references also a folder");
  arguments.flag("--virtual", exported->is_virtual, "an HDF5 file that refers to the data of one file");
  arguments.flag("--references", exported->are_references,
                 "kerchunk references: all files as one Zarr array (made by the Python package)");
  arguments.text("-o,--output", "OUT", exported->to,
                 "file to write, with the suffix .h5; references: .json, or .parq for parquet; - for standard output");
  arguments.text("--field", "NAME[:N]", exported->field, "references: the field (default: all)");
  arguments.number("--slices", exported->slices, "references: time slices per chunk, 0 for all (default 1)");
  arguments.add({.names = {"--prefix"},
                 .value = "TEXT",
                 .help = "references: replacement for the folder of the files, such as https://host/folder",
                 .take = [exported](const std::string& text) { exported->prefix = text; }});
  declare_options(arguments, "export", "RepackOptions", exported->options);
  return [exported](Session& session) {
    exported->require_sense();
    if (exported->are_references) {
      return at_root(session, [&] { return exported->make_references(session); });
    }
    return for_target(session, exported->to, [&](const std::string& path) { return exported->run(session, path); });
  };
}

}  // namespace lq::cli
