// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of a folder are to each other: the one place that says which of them are entries of an ensemble, which
// ought to be and are not readable, which belong to others, and which are strangers. `verify -r`, `index`, `scrub` and
// `report` share it.
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

// What is known of a file without its neighbours.
struct Sighting {
  std::string path;
  std::uint64_t size = 0;
  std::int64_t modified = 0;            // nanoseconds since 1970
  bool is_recognised = false;           // a format takes it for its own, in whatever state it is
  bool has_remains = false;             // its bytes say that it was ours once
  bool was_entry = false;               // a catalogue has it
  std::string part_of = {};             // the file that answers for it, as its own headers say; empty: itself
  std::vector<std::string> parts = {};  // further files that belong to it
};

enum class Standing {
  entry,          // its own examination says how it is
  lost,           // no format takes it for its own, although it ought to be an entry
  part,           // it belongs to an entry, which answers for it
  being_written,  // it has the temporary name of a new file, and is young
  leftover,       // the same, left behind by a writer that was interrupted
  stranger,       // another program's
};

struct Place {
  Standing standing = Standing::stranger;
  std::string reason = {};  // of `lost`: what it is known by, "its name is one of conf.*.ildg"; of `part`: its entry
};

// Of whatever is no entry, whose verdict its examination gives.
Verdict verdict_of(Standing standing) noexcept;
// The same for people: "PATH: expected a lattice file (its name is one of conf.*.ildg), found an empty file". `what` it
// is where no format recognises it.
std::string sentence_of(const Place& place, const std::string& path, const std::string& what);

// A name that new files have until they are complete, and what is kept meanwhile. Nobody looks into them.
bool is_temporary(std::string_view path);
// How long a writer may take, in nanoseconds: older temporary files are left behind.
inline constexpr std::int64_t longest_writing = std::int64_t{24} * 3600 * 1'000'000'000;

// All files of some folders, told one after the other; then what each of them is.
class Neighbours {
 public:
  void add(const Sighting& sighting);
  // `now` in nanoseconds since 1970.
  Place place_of(const Sighting& sighting, std::int64_t now) const;
  // The entry that claims the file; nullptr: none.
  const std::string* owner_of(const std::string& path) const;
  const std::unordered_map<std::string, std::string>& owners() const noexcept { return owners_; }

 private:
  Place place_of_sidecar(const std::string& path) const;
  std::string reason_to_miss(const Sighting& sighting) const;

  std::unordered_map<std::string, std::string> owners_;  // by part
  std::unordered_set<std::string> paths_, series_, sizes_, cousins_;
};

// What the headers of one file say, as a catalogue keeps it.
struct FieldProperty {
  std::optional<std::int64_t> field;  // number of the field; none: of the whole file
  base::Property property;
};

// A physical file of an entry next to its first.
struct FurtherFile {
  std::string path;
  FileStatus status;
};

struct Looked {
  std::string path;
  FileStatus status;
  std::string other;         // not empty: no format takes it for its own, and what it is
  std::string problem;       // not empty: it cannot be read
  bool has_remains = false;  // of a file of ours
  std::string part_of;       // the file that answers for it; empty: itself
  std::vector<FurtherFile> further;
  bool is_gone = false;
  bool is_changing = false;  // it was written to while we looked
  Catalog catalog;
  std::vector<FieldProperty> properties;
  std::optional<std::int64_t> trajectory;
  const char* trajectory_from = nullptr;  // "metadata", "name"
  std::string series;
  std::shared_ptr<io::ScannedFile> scanned = nullptr;  // the file, open; only of glance_at(), of what it recognised

  std::string_view state() const noexcept;  // "indexed", "damaged", "incomplete", "unreadable"
  Sighting sighting() const;
};

// Any thread. Whatever is wrong with the file is part of the answer.
Looked look_at(const std::string& path, const Limits& limits);
// The same without properties, series and trajectory, for whoever verifies the file anyway, and has its status from a
// walk.
Looked glance_at(storage::Transport& transport, const std::string& path, const FileStatus& status,
                 const Limits& limits);
// Of what nobody looks into: name and status alone.
Looked without_look(const std::string& path, const FileStatus& status);

// What a catalogue knows of a folder, for whoever looks into that without it.
struct Catalogued {
  std::string db;                  // the catalogue; empty: there is none
  std::vector<std::string> paths;  // its entries below the folder
};

// `folder`: as full_path() gives it. Of the catalogue in it or in the nearest folder above. Throws what is wrong with
// that.
Catalogued catalogued_below(const std::string& folder);

}  // namespace lq::ensemble
