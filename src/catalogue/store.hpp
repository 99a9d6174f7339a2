// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of files written to a catalogue and looked up in it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "catalogue/database.hpp"
#include "catalogue/look.hpp"

namespace lq::catalogue {

// A file that the catalogue knows.
struct Known {
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  std::int64_t id = 0;     // 0: it is no lattice file
  bool is_settled = true;  // else its contents may change without another time stamp
  bool is_missing = false;
  bool was_seen = false;  // on this walk
};

// By path: those that lie in the folder or below.
using KnownFiles = std::unordered_map<std::string, Known>;
KnownFiles known_below(const Database& database, const std::string& folder);
// Is `path` the folder itself, or below it?
bool is_below(std::string_view path, std::string_view folder) noexcept;

class Store {
 public:
  explicit Store(const Database& database);

  void keep(const Looked& looked, const std::string& now);      // a lattice file
  void keep_other(const Looked& looked);                        // any other
  void set_missing(std::int64_t id, const std::string& since);  // an empty text: it is there again
  void forget(std::int64_t id);
  void forget_other(const std::string& path);

 private:
  void keep_fields(std::int64_t id, const Looked& looked);
  void keep_properties(std::int64_t id, const Looked& looked);
  void keep_findings(std::int64_t id, const Looked& looked);

  Statement put_file_, put_field_, put_property_, put_finding_, put_other_, set_missing_, forget_, forget_other_;
  Statement drop_fields_, drop_properties_, drop_findings_, drop_slices_;
};

}  // namespace lq::catalogue
