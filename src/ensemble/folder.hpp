// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the files of a folder relate to each other: the one place that decides which of them are entries of an ensemble,
// which should be but are unreadable, which belong to others, and which are strangers. Shared by `verify -r`, `index`,
// `scrub` and `report`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

#include "base/text_facts.hpp"
#include "ensemble/files.hpp"
#include "io/scan.hpp"

namespace lq::ensemble {

// Facts about a file without its neighbours.
struct FileInspection {
  std::string path;
  std::uint64_t size = 0;
  std::int64_t modified = 0;            // nanoseconds since 1970
  bool is_recognised = false;           // a format recognises it, in whatever state it is
  bool has_remains = false;             // its bytes show that it was a lattice file
  bool was_entry = false;               // a catalogue contains it
  std::string part_of = {};             // the file that it belongs to, by its own headers; empty: itself
  std::vector<std::string> parts = {};  // further files that belong to it
};

enum class FileRole {
  entry,          // its own examination gives its state
  lost,           // no format recognises it, although it should be an entry
  part,           // it belongs to an entry, which reports on it
  being_written,  // it has the temporary name of a new file, and is recent
  leftover,       // the same, left by an interrupted writer
  stranger,       // another program's file
};

struct Place {
  FileRole role = FileRole::stranger;
  std::string reason = {};  // of `lost`: why it should be an entry, "its name is one of conf.*.ildg"; `part`: its entry
};

// For anything but an entry, whose verdict comes from its examination.
Verdict verdict_of(FileRole role) noexcept;
// The same as a message: "PATH: expected a lattice file (its name is one of conf.*.ildg), found an empty file". `what`:
// its kind if no format recognises it.
std::string sentence_of(const Place& place, const std::string& path, const std::string& what);

// Names of new files before they are complete, and of data stored in the meantime. These files are not examined.
bool is_temporary(std::string_view path);
// The longest time a writer may take, in nanoseconds: older temporary files are leftovers.
inline constexpr std::int64_t longest_writing = std::int64_t{24} * 3600 * 1'000'000'000;

// All files of some folders, added one after the other; then classifies each of them.
class Neighbours {
 public:
  void add(const FileInspection& inspection);
  // `now` in nanoseconds since 1970.
  Place place_of(const FileInspection& inspection, std::int64_t now) const;
  // The entry that claims the file; nullptr: none.
  const std::string* owner_of(const std::string& path) const;
  const std::unordered_map<std::string, std::string>& owners() const noexcept { return owners_; }

 private:
  Place place_of_sidecar(const std::string& path) const;
  std::string reason_to_miss(const FileInspection& inspection) const;

  std::unordered_map<std::string, std::string> owners_;  // by path of the part
  std::unordered_set<std::string> paths_, series_, sizes_, cousins_;
};

// The facts of one file's headers, as a catalogue stores them.
struct FieldProperty {
  std::optional<std::int64_t> field;  // number of the field; none: the whole file
  base::Property property;
};

// A physical file of an entry next to its first.
struct FurtherFile {
  std::string path;
  FileStatus status;
};

struct ExaminedFile {
  std::string path;
  FileStatus status;
  std::string other;         // not empty: no format recognises it; its kind
  std::string problem;       // not empty: it cannot be read; the reason
  bool has_remains = false;  // of a lattice file
  std::string part_of;       // the file that it belongs to; empty: itself
  std::vector<FurtherFile> further;
  bool is_gone = false;
  bool is_changing = false;  // it was written to while it was examined
  Catalog catalog;
  std::vector<FieldProperty> properties;
  std::optional<std::int64_t> trajectory;
  const char* trajectory_from = nullptr;  // "metadata", "name"
  std::string series;
  std::shared_ptr<io::ScannedFile> scanned =
      nullptr;  // the file, open; only of examine_headers(), of what it recognised
  std::shared_ptr<const std::string> contents = nullptr;  // of a packed file, open: see sets/staging/packed.hpp

  std::string_view state() const noexcept;  // "indexed", "damaged", "incomplete", "unreadable"
  FileInspection inspection() const;
};

// Any thread. Errors of the file are part of the result.
ExaminedFile examine_file(const std::string& path, const Limits& limits);
// The same without properties, series and trajectory, for callers that verify the file anyway, and have its status from
// a walk.
ExaminedFile examine_headers(storage::Transport& transport, const std::string& path, const FileStatus& status,
                             const Limits& limits);
// The same for a file that no format recognises, but that should be a lattice file: if it is packed, its contents are
// examined, and stay open. False: it is not packed.
bool examine_contents(ExaminedFile& lost, const Limits& limits);
// For files that are not examined: name and status alone.
ExaminedFile unexamined_file(const std::string& path, const FileStatus& status);

// What a catalogue knows of a folder, for callers that list the folder without it.
struct Catalogued {
  std::string db;                  // the catalogue; empty: there is none
  std::vector<std::string> paths;  // its entries below the folder
};

// `folder`: a result of full_path(). Uses the catalogue in it or in its nearest parent. Throws the errors of that
// catalogue.
Catalogued catalogued_below(const std::string& folder);

}  // namespace lq::ensemble
