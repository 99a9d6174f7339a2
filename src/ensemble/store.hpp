// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes and reads rows of files in a catalogue.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ensemble/database.hpp"
#include "ensemble/folder.hpp"
#include "ensemble/paths.hpp"

namespace lq::ensemble {

// A file known to the catalogue.
struct Known {
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  std::int64_t id = 0;     // 0: not a lattice file
  bool is_settled = true;  // else its contents may have changed without a new time stamp
  bool is_missing = false;
  bool was_seen = false;     // on this walk
  std::string what = {};     // of a lattice file its contents, "gauge 8x8x8x16"; of another file its kind
  bool is_readable = false;  // a lattice file whose headers were understood
  std::vector<FurtherFile> further = {};
};

// By path: files in the folder or below.
using KnownFiles = std::unordered_map<std::string, Known>;
KnownFiles known_below(const Database& database, const std::string& folder);
// Prefix of `what` for a part, followed by the entry.
inline constexpr std::string_view part_of = "part of ";
inline constexpr std::string_view no_field = " ";  // contents_of() a file without fields
// The contents of a file in short: "gauge 8x8x8x16".
std::string contents_of(const Catalog& catalog);

class Store {
 public:
  explicit Store(const Database& database);

  void keep(const ExaminedFile& examined, const std::string& now);  // a lattice file
  void keep_other(const ExaminedFile& examined);                    // any other
  // For an entry that is no longer a lattice file: the earlier facts are kept.
  void keep_lost(std::int64_t id, const ExaminedFile& examined);
  // The entry has another path now; its facts are kept.
  void move(std::int64_t id, const std::string& from, const std::string& to);
  void set_missing(std::int64_t id, const std::string& since);  // an empty text: it exists again
  void forget(std::int64_t id);
  void forget_other(const std::string& path);

 private:
  void keep_fields(std::int64_t id, const ExaminedFile& examined);
  void keep_properties(std::int64_t id, const ExaminedFile& examined);
  void keep_findings(std::int64_t id, const ExaminedFile& examined);
  void keep_further(std::int64_t id, const ExaminedFile& examined);

  Statement move_file_, move_sum_, put_file_, put_further_, put_lost_, put_field_, put_property_, put_finding_,
      put_other_, set_missing_, forget_, forget_other_;
  Statement drop_fields_, drop_properties_, drop_findings_, drop_slices_, drop_further_, drop_others_;
};

}  // namespace lq::ensemble
