// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows gathered into stretches: contiguous bytes of the file, small enough for one block of memory, each made of
// pieces of rows. One stretch is one read or one write.
#pragma once

#include <cstdint>
#include <vector>

#include "lattice/rows.hpp"

namespace lq::pump {

// Sites skip .. skip + sites - 1 of a row.
struct Piece {
  lattice::Row row;
  std::uint64_t skip = 0;
  std::uint64_t sites = 0;

  std::uint64_t file_site() const noexcept { return row.file_site + skip; }
  std::uint64_t site_rank() const noexcept { return row.site_rank + skip * row.rank_stride; }
  // Number in local memory of the piece's first site.
  std::int64_t memory_site() const noexcept {
    return static_cast<std::int64_t>(row.memory_site) + static_cast<std::int64_t>(skip) * row.memory_stride;
  }
};

struct Stretch {
  std::uint64_t file_site = 0;
  std::uint64_t sites = 0;
  std::vector<Piece> pieces;
};

class Stretches {
 public:
  Stretches(lattice::Rows& rows, std::uint64_t max_sites) : rows_(rows), max_sites_(max_sites) {}
  bool next(Stretch& stretch);  // false behind the last one

 private:
  bool refill();

  lattice::Rows& rows_;
  std::uint64_t max_sites_;
  Piece rest_;  // what is left of the current row; sites 0: nothing
};

}  // namespace lq::pump
