// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/folder.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "base/text.hpp"
#include "ensemble/files.hpp"
#include "format/component.hpp"
#include "io/verdict.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "sets/staging/packed.hpp"
#include "storage/subfiles.hpp"
#include "storage/transport.hpp"

namespace lq::ensemble {

// The physical files of an entry in addition to the one that names it: volumes, parts, subfiles, the numbers of a raw
// description, the fields of a checkpoint.

namespace {

// Their actual or expected paths. Empty: there are none, or the state of the set does not show them.
std::string fields_of_checkpoint(const std::string& path) {
  try {
    const sets::FoundSet found =
        sets::find_set(storage::resolve(path), path, sets::Unclosed::accepted, sets::MissingFiles::stood_in_for);
    return found.fields_problem && found.fields_path.empty() ? sets::fields_name(found.path) : found.fields_path;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

// The subfiles that the file describes; none if it does not describe a set, or cannot be parsed.
std::vector<std::string> subfiles_of(const std::string& path) {
  std::vector<std::string> paths;
  try {
    const auto set = storage::set_in(*storage::resolve(path).open_read(path), path);
    if (!set) return paths;
    for (const auto& subfile : set->files) paths.push_back(subfile.path);
  } catch (const Error&) {
    // Verifying it reports the reason.
  }
  return paths;
}

// Ascending. For a readable file of `size` bytes; `catalog`: its contents.
std::vector<std::string> further_files(const std::string& path, std::uint64_t size, const Catalog& catalog) {
  std::vector<std::string> paths = catalog.files;
  // A set is represented by its description, which is shorter than the set.
  if (catalog.file_bytes != size) std::ranges::move(subfiles_of(path), std::back_inserter(paths));
  if (format_info(catalog.format).contents == Contents::streams) {
    if (std::string fields = fields_of_checkpoint(path); !fields.empty()) paths.push_back(std::move(fields));
  }
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::erase(paths, path);
  return paths;
}

namespace {

void add_properties(ExaminedFile& examined, const Metadata& texts, std::optional<std::int64_t> field) {
  for (base::Property& property : base::properties_of(texts))
    examined.properties.push_back({field, std::move(property)});
}

// From the texts, else from the name.
void find_trajectory(ExaminedFile& examined) {
  NameParts name = parts_of(examined.path);
  examined.series = std::move(name.series);
  for (const FieldProperty& entry : examined.properties) {
    if (entry.property.key != "trajectory" && entry.property.key != "SEQUENCE_NUMBER") continue;
    const auto number = base::parse_u64(entry.property.value);
    if (!number || *number > INT64_MAX) continue;
    examined.trajectory = static_cast<std::int64_t>(*number);
    examined.trajectory_from = "metadata";
    return;
  }
  examined.trajectory = name.number;
  if (name.number) examined.trajectory_from = "name";
}

void describe_stranger(ExaminedFile& examined) {
  const auto file = storage::resolve(examined.path).open_read(examined.path);
  examined.other = format::describe_foreign(*file);
  examined.has_remains = format::has_remains(*file);
}

void find_further(ExaminedFile& examined) {
  const std::vector<std::string>& files = examined.catalog.files;
  if (files.size() > 1 && files.front() != examined.path) {
    examined.part_of = files.front();
    return;
  }
  const std::vector<std::string> further = examined.problem.empty()
                                               ? further_files(examined.path, examined.status.size, examined.catalog)
                                               : subfiles_of(examined.path);
  for (const std::string& path : further) {
    FileStatus status;
    status_of(path, status);  // verifying the entry reports what is missing
    examined.further.push_back({path, status});
  }
}

void examine_inside(storage::Transport& transport, ExaminedFile& examined, const Limits& limits) {
  try {
    examined.scanned = io::ScannedFile::open(transport, examined.path, {}, limits);
    examined.catalog = examined.scanned->catalog();
  } catch (const Error& error) {
    FileStatus status;
    examined.is_gone = error.code() == Code::not_found && !status_of(examined.path, status);
    if (error.code() != Code::unknown_format) examined.problem = error.what();
  }
  try {
    const bool is_recognised = !examined.catalog.format.empty() || !examined.problem.empty();
    is_recognised ? find_further(examined) : describe_stranger(examined);
  } catch (const Error& error) {
    examined.problem = error.what();
  }
}

}  // namespace

std::string_view ExaminedFile::state() const noexcept {
  if (!problem.empty()) return name(Verdict::unreadable);
  const Verdict verdict = io::verdict_of({}, catalog.findings);
  if (!is_ok(verdict)) return name(verdict);
  return catalog.complete ? "indexed" : name(Verdict::incomplete);
}

FileInspection ExaminedFile::inspection() const {
  FileInspection inspection{.path = path,
                            .size = status.size,
                            .modified = status.modified,
                            .is_recognised = other.empty(),
                            .has_remains = has_remains,
                            .was_entry = false,
                            .part_of = part_of,
                            .parts = {}};
  for (const FurtherFile& file : further) inspection.parts.push_back(file.path);
  return inspection;
}

ExaminedFile unexamined_file(const std::string& path, const FileStatus& status) {
  ExaminedFile examined;
  examined.path = path;
  examined.status = status;
  find_trajectory(examined);
  return examined;
}

ExaminedFile examine_headers(storage::Transport& transport, const std::string& path, const FileStatus& status,
                             const Limits& limits) {
  ExaminedFile examined;
  examined.path = path;
  examined.status = status;
  if (status.inode != 0) {
    examine_inside(transport, examined, limits);
  } else {
    examined.is_gone = !is_link(path);
    if (!examined.is_gone) examined.other = "a link to a file that does not exist";
  }
  return examined;
}

namespace {

void add_texts(ExaminedFile& examined) {
  add_properties(examined, examined.catalog.metadata, std::nullopt);
  for (std::size_t k = 0; k < examined.catalog.fields.size(); ++k) {
    add_properties(examined, examined.catalog.fields[k].metadata, static_cast<std::int64_t>(k));
  }
  find_trajectory(examined);
}

}  // namespace

bool examine_contents(ExaminedFile& lost, const Limits& limits) {
  try {
    lost.contents = sets::unpacked(lost.path);
    if (!lost.contents) return false;
    lost.catalog = io::ScannedFile::open(storage::resolve(*lost.contents), *lost.contents, {}, limits)->catalog();
    add_texts(lost);
  } catch (const Error& error) {
    lost.problem = error.what();
  }
  lost.other.clear();
  FileStatus now;
  lost.is_changing = !status_of(lost.path, now) || now.size != lost.status.size || now.modified != lost.status.modified;
  return true;
}

ExaminedFile examine_file(const std::string& path, const Limits& limits) {
  constexpr int attempts = 3;
  ExaminedFile examined;
  for (int attempt = 1; attempt <= attempts; ++attempt) {
    FileStatus before, after;
    status_of(path, before);
    examined = examine_headers(storage::resolve(path), path, before, limits);
    examined.scanned.reset();
    const bool is_there = status_of(path, after);
    examined.is_changing =
        is_there && (after.size != examined.status.size || after.modified != examined.status.modified);
    if (!examined.is_changing) break;
  }
  add_texts(examined);
  return examined;
}

}  // namespace lq::ensemble
