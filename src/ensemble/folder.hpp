// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of a folder are to each other: the one place that says which of them are entries of an ensemble, which
// ought to be and are not readable, which belong to others, and which are strangers. `verify -r`, `index`, `scrub` and
// `report` share it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <limequat/inspect.hpp>

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
  std::string reason_to_miss(const Sighting& sighting) const;

  std::unordered_map<std::string, std::string> owners_;  // by part
  std::unordered_set<std::string> paths_, series_, sizes_, cousins_;
};

}  // namespace lq::ensemble
