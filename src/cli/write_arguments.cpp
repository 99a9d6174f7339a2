// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See write_arguments.hpp.
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

namespace lq::cli {
namespace {

// A sentence about `from` as one about `to`.
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

void WriteArguments::declare(Arguments& arguments, const std::string& format_option) {
  arguments.text(format_option, "FORMAT", format, "format of the new file (default: by its suffix)",
                 names_of_field_formats());
  arguments.text("--precision", "P", precision, "precision of the new file (default: unchanged)", {"single", "double"});
  arguments.metadata("--metadata", metadata, "a text to travel with the field, such as a record; may be repeated");
  arguments.extents("--grid", "GRID", processes,
                    "process grid such as 1x1x2x4 (default: chosen); more than one "
                    "process needs lq-mpi");
  arguments.text("--verify", "HOW", verify, "how the new file is checked (default checksum)",
                 {"none", "checksum", "read-back"});
  arguments.flag("--no-slice-checksums", no_slice_checksums,
                 "leave out the record of checksums per time slice, which tells where damage is");
  arguments.flag("--force", force, "replace an existing file, which stays until the new one is complete");
  arguments.flag("--dry-run", dry_run, "check everything, write nothing");
}

WriteOptions WriteArguments::options() const {
  WriteOptions options;
  options.format = format;
  if (!precision.empty()) options.precision = precision == "single" ? Precision::single : Precision::double_;
  options.metadata = metadata;
  if (verify == "none") options.verify = lq::Verify::none;
  if (verify == "read-back") options.verify = lq::Verify::read_back;
  options.overwrite = force;
  options.slice_checksums = !no_slice_checksums;
  return options;
}

GridOptions WriteArguments::grid_options() const {
  GridOptions options;
  if (processes.size() > 0) options.processes = processes;
  return options;
}

void require_target(const Session& session, const std::string& path, bool force) {
  namespace fs = std::filesystem;
  at_root(session, [&] {
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    if (fs::is_directory(status)) {
      throw Error(Code::invalid_argument, path + ": this is a directory; name a file in it", {.path = path});
    }
    if (fs::exists(status) && !force) {
      throw Error(Code::exists, path + ": there is a file of this name already; choose another name", {.path = path});
    }
    const fs::path parent = fs::path(path).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    if (::access(folder.c_str(), W_OK | X_OK) == 0) return fine;
    const int reason = errno;
    if (reason == ENOENT || reason == ENOTDIR) {
      throw Error(Code::not_found, fmt::format("{}: there is no directory \"{}\"; make it first", path, folder),
                  {.path = path, .system_errno = reason});
    }
    throw Error(Code::no_permission, fmt::format("{}: no permission to write in \"{}\"", path, folder),
                {.path = path, .system_errno = reason});
  });
}

void rehearse(const Session& session, const std::string& path, const FieldSpec& spec, int dimensions,
              WriteOptions options) {
  namespace fs = std::filesystem;
  at_root(session, [&] {
    std::error_code failure;
    std::string folder = (fs::temp_directory_path(failure) / "lq-XXXXXX").string();
    if (failure || ::mkdtemp(folder.data()) == nullptr) return fine;  // the real write will tell
    const std::string target = (fs::path(folder) / fs::path(path).filename()).string();
    const Grid grid(Extents::filled(dimensions, 2));
    FieldSpec full = spec;
    full.links = dimensions;
    const std::size_t numbers = static_cast<std::size_t>(dimensions * 2 * spec.colors * spec.colors);
    const std::vector<double> links(numbers * static_cast<std::size_t>(grid.volume()));
    options.sync = Sync::none;
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
  if (!report.stored) return "no checksum stored";
  return fmt::format("checksum {} stored{}", to_string(*report.stored),
                     report.read_back ? ", read back and compared" : "");
}

}  // namespace lq::cli
