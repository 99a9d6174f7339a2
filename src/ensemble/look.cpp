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

void add_properties(Looked& looked, const Metadata& texts, std::optional<std::int64_t> field) {
  for (base::Property& property : base::properties_of(texts)) looked.properties.push_back({field, std::move(property)});
}

// From the texts, else from the name.
void find_trajectory(Looked& looked) {
  NameParts name = parts_of(looked.path);
  looked.series = std::move(name.series);
  for (const FieldProperty& entry : looked.properties) {
    if (entry.property.key != "trajectory" && entry.property.key != "SEQUENCE_NUMBER") continue;
    const auto number = base::parse_u64(entry.property.value);
    if (!number || *number > INT64_MAX) continue;
    looked.trajectory = static_cast<std::int64_t>(*number);
    looked.trajectory_from = "metadata";
    return;
  }
  looked.trajectory = name.number;
  if (name.number) looked.trajectory_from = "name";
}

void describe_stranger(Looked& looked) {
  const auto file = storage::resolve(looked.path).open_read(looked.path);
  looked.other = format::describe_foreign(*file);
  looked.has_remains = format::has_remains(*file);
}

void find_further(Looked& looked) {
  const std::vector<std::string>& files = looked.catalog.files;
  if (files.size() > 1 && files.front() != looked.path) {
    looked.part_of = files.front();
    return;
  }
  const std::vector<std::string> further = looked.problem.empty()
                                               ? further_files(looked.path, looked.status.size, looked.catalog)
                                               : subfiles_of(looked.path);
  for (const std::string& path : further) {
    FileStatus status;
    status_of(path, status);  // verifying the entry reports what is missing
    looked.further.push_back({path, status});
  }
}

void look_inside(storage::Transport& transport, Looked& looked, const Limits& limits) {
  try {
    looked.scanned = io::ScannedFile::open(transport, looked.path, {}, limits);
    looked.catalog = looked.scanned->catalog();
  } catch (const Error& error) {
    FileStatus status;
    looked.is_gone = error.code() == Code::not_found && !status_of(looked.path, status);
    if (error.code() != Code::unknown_format) looked.problem = error.what();
  }
  try {
    const bool is_recognised = !looked.catalog.format.empty() || !looked.problem.empty();
    is_recognised ? find_further(looked) : describe_stranger(looked);
  } catch (const Error& error) {
    looked.problem = error.what();
  }
}

}  // namespace

std::string_view Looked::state() const noexcept {
  if (!problem.empty()) return name(Verdict::unreadable);
  const Verdict verdict = io::verdict_of({}, catalog.findings);
  if (!is_ok(verdict)) return name(verdict);
  return catalog.complete ? "indexed" : name(Verdict::incomplete);
}

Sighting Looked::sighting() const {
  Sighting sighting{.path = path,
                    .size = status.size,
                    .modified = status.modified,
                    .is_recognised = other.empty(),
                    .has_remains = has_remains,
                    .was_entry = false,
                    .part_of = part_of,
                    .parts = {}};
  for (const FurtherFile& file : further) sighting.parts.push_back(file.path);
  return sighting;
}

Looked without_look(const std::string& path, const FileStatus& status) {
  Looked looked;
  looked.path = path;
  looked.status = status;
  find_trajectory(looked);
  return looked;
}

Looked glance_at(storage::Transport& transport, const std::string& path, const FileStatus& status,
                 const Limits& limits) {
  Looked looked;
  looked.path = path;
  looked.status = status;
  if (status.inode != 0) {
    look_inside(transport, looked, limits);
  } else {
    looked.is_gone = !is_link(path);
    if (!looked.is_gone) looked.other = "a link to a file that does not exist";
  }
  return looked;
}

Looked look_at(const std::string& path, const Limits& limits) {
  constexpr int attempts = 3;
  Looked looked;
  for (int attempt = 1; attempt <= attempts; ++attempt) {
    FileStatus before, after;
    status_of(path, before);
    looked = glance_at(storage::resolve(path), path, before, limits);
    looked.scanned.reset();
    const bool is_there = status_of(path, after);
    looked.is_changing = is_there && (after.size != looked.status.size || after.modified != looked.status.modified);
    if (!looked.is_changing) break;
  }
  add_properties(looked, looked.catalog.metadata, std::nullopt);
  for (std::size_t k = 0; k < looked.catalog.fields.size(); ++k) {
    add_properties(looked, looked.catalog.fields[k].metadata, static_cast<std::int64_t>(k));
  }
  find_trajectory(looked);
  return looked;
}

}  // namespace lq::ensemble
