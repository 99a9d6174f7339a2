// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Targets are inspected, and tried, before the work begins.
#include "cli/write_arguments.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

// Changes a message about `from` into one about `to`.
std::string with_path(std::string sentence, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = sentence.find(from, at)) != std::string::npos; at += to.size()) {
    sentence.replace(at, from.size(), to);
  }
  return sentence;
}

std::vector<std::string> names_of_field_formats() {
  std::vector<std::string> names;
  for (const FormatInfo& format : formats()) {
    if (format.contents == Contents::fields) names.emplace_back(format.name);
  }
  return names;
}

}  // namespace

void WriteArguments::declare(Arguments& arguments, std::string_view verb) {
  given_ = declare_options(arguments, verb, "WriteOptions", options);
  arguments.limit_to("--format", names_of_field_formats());
  arguments.extents("--processes,--grid", "GRID", processes,
                    "process grid such as 1x1x2x4 (default: chosen); more than one process needs lq-mpi");
  arguments.flag("--idle-ranks", idle_ranks, "with --processes: ranks that the grid does not need hold no sites");
}

bool WriteArguments::asks_for_a_field() const {
  std::size_t others = processes.size() > 0 ? 1 : 0;
  for (const std::string_view name : *given_) others += name != "overwrite" && name != "threads" ? 1 : 0;
  return others > 0;
}

GridOptions WriteArguments::grid_options() const {
  GridOptions grid;
  if (processes.size() > 0) grid.processes = processes;
  grid.idle_ranks = idle_ranks;
  return grid;
}

namespace {

// Checks what the small lattice cannot.
void require_parts(const Extents& lattice, const std::string& text) {
  const Extents parts = parse_extents(text);
  bool fits = parts.size() == lattice.size();
  for (int d = 0; fits && d < parts.size(); ++d) fits = parts[d] > 0 && lattice[d] % parts[d] == 0;
  if (!fits)
    throw UsageError(
        fmt::format("--parts {}: a lattice of {} cannot be divided into these equal parts", text, to_string(lattice)));
}

}  // namespace

void require_target(const Session& session, const std::string& path, bool force) {
  namespace fs = std::filesystem;
  at_root(session, [&] {
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    if (fs::is_directory(status)) {
      throw Error(Code::invalid_argument, path + ": this is a directory; name a file in it", {.path = path});
    }
    if (fs::exists(status) && !force) {
      throw Error(Code::exists,
                  path +
                      ": there is a file of this name already; choose another name, or "
                      "replace it with options.overwrite = true",
                  {.path = path});
    }
    const fs::path parent = fs::path(path).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    if (::access(folder.c_str(), W_OK | X_OK) == 0) return fine;
    const int reason = errno;
    if (reason == ENOENT || reason == ENOTDIR) {
      throw Error(Code::not_found,
                  fmt::format("{}: the directory \"{}\" does not exist; create it first", path, folder),
                  {.path = path, .system_errno = reason});
    }
    const std::string why = reason == EROFS
                                ? fmt::format(
                                      "\"{}\" is on a file system that is mounted read-only; choose another "
                                      "directory",
                                      folder)
                                : fmt::format("no permission to write in \"{}\"", folder);
    throw Error(Code::no_permission, fmt::format("{}: {}", path, why), {.path = path, .system_errno = reason});
  });
}

void dry_run_write(const Session& session, const std::string& path, const FieldSpec& spec, const Extents& lattice,
                   WriteOptions options) {
  namespace fs = std::filesystem;
  const int dimensions = lattice.size();
  if (!options.parts.empty()) {
    require_parts(lattice, options.parts);
    options.parts = to_string(Extents::filled(dimensions, 1));
  }
  at_root(session, [&] {
    std::error_code failure;
    std::string folder = (fs::temp_directory_path(failure) / "lq-XXXXXX").string();
    if (failure || ::mkdtemp(folder.data()) == nullptr) return fine;  // the real write reports the error
    const std::string target = (fs::path(folder) / fs::path(path).filename()).string();
    const Grid grid(Extents::filled(dimensions, 2));
    FieldSpec full = spec;
    full.links = dimensions;
    const std::size_t numbers = static_cast<std::size_t>(dimensions * 2 * spec.colors * spec.colors);
    const std::vector<double> links(numbers * static_cast<std::size_t>(grid.volume()));
    options.sync = Sync::none;
    options.route = {};  // for all ranks, while this is one
    try {
      (void)write(target, grid, Field{full, links.data(), links.size(), {}, {}}, options);
      fs::remove_all(folder, failure);
    } catch (const Error& error) {
      fs::remove_all(folder, failure);
      throw Error(error.code(), with_path(error.what(), target, path), {.path = path});
    }
    return fine;
  });
}

std::string checksum_text(const Report& report) {
  if (!report.stored && report.sums.all.empty()) return "no checksum stored";
  return fmt::format("checksum {} stored{}", report.stored ? to_string(*report.stored) : stored_sums(report.sums),
                     report.read_back ? ", read back and compared" : "");
}

}  // namespace lq::cli
