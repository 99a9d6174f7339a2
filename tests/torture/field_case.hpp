// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file of fields, how it is written and how it is read, and what ranks do for it. The model is a formula: every
// number follows from its site, its field and the version of the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/options.hpp>

#include "torture/ranks.hpp"

namespace lq::torture {

// How one side of a transfer holds a field.
struct FieldSide {
  Crew crew;
  Extents processes;
  SiteOrder rank_order;
  Precision precision = Precision::double_;
  SiteOrder order;
  bool by_function = false;
  bool in_background = false;
  RouteOptions route;
  std::uint64_t block_bytes = 0;

  Grid grid(const Communicator& all, const Extents& lattice) const {
    return Grid(all, lattice, {.processes = processes, .rank_order = rank_order});
  }
};
FieldSide draw_side(Draw& draw, int dimensions, const Crew& crew);

struct FieldCase {
  FieldSpec spec;
  Extents lattice;
  int fields = 1;  // in the file
  FieldSide writer, reader;
  WriteOptions options;
  std::optional<Box> region;  // that is read; empty: all
  bool replaces = false;
  bool cancels = false;
  Fault while_writing, while_reading;

  bool is_tiled() const { return options.format == "tiled"; }
};
// `largest`: extent of the lattice.
FieldCase draw_field_case(Draw& draw, std::int64_t largest = 8);
std::string words(const FieldCase& c);

// Field number `index` of a version has the numbers of the formula plus this; exact in single precision.
inline double shift_of(int version, int index) { return 10 * version + index; }

// Writes a version of the file.
RankWork writing(const FieldCase& c, const std::string& path, int version);

// Which version each rank has read; a rank without sites agrees with all.
struct VersionsRead {
  explicit VersionsRead(const Crew& crew) : of_rank(static_cast<std::size_t>(crew.ranks), -1) {}
  std::vector<int> of_rank;
  // Failure: ranks have read different ones.
  int version() const;
};
// Reads field `index`, all of it or the region of the case. Failure: other numbers than those of one of the versions;
// unless `may_be_damaged`, and the report says that they were not compared with a sum, or `sums_are_new`.
struct ReadRequest {
  std::string path;
  int index = 0;
  bool whole = false;
  std::vector<int> versions = {1};
  bool may_be_damaged = false;
  bool sums_are_new = false;  // made of the damaged data
};
RankWork reading(const FieldCase& c, const ReadRequest& request, VersionsRead& seen);

}  // namespace lq::torture
