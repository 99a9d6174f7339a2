// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites that a rank moves between its memory and a file, as rows: runs (runs.hpp) that are contiguous in the file
// and evenly spaced in memory and in the whole lattice, produced one by one in file order.
#pragma once

#include <cstdint>
#include <span>

#include <limequat/lattice.hpp>

#include "lattice/runs.hpp"

namespace lq::lattice {

struct Row {
  std::uint64_t sites = 0;
  std::uint64_t file_site = 0;     // number of the first site in the file's sequence of stored sites
  std::uint64_t site_rank = 0;     // rank of the first site in the whole lattice, x fastest (for the checksum)
  std::uint64_t rank_stride = 1;   // from one site of the row to the next
  std::uint64_t memory_site = 0;   // number of the first site in local memory
  std::int64_t memory_stride = 1;  // from one site of the row to the next
  Coord first;                     // global (lattice of the file) coordinates of the first site
};

struct RowPlan {
  Extents extents;         // the lattice of the file
  Box stored;              // the sites the file stores
  SiteOrder file_order;    // of the stored sites
  Box memory;              // the sites local memory holds, in coordinates of the file's lattice
  SiteOrder memory_order;  // of the sites in memory
  Box wanted;              // the sites to move; inside `stored` and `memory`
};

class Rows {
 public:
  // invalid_argument if `wanted` is not inside `stored` and `memory`, or an order is not a permutation.
  explicit Rows(const RowPlan& plan);
  // Switches to the rows of another box of the same file, which is all that memory holds, in a resolved order.
  // Allocates no memory, nor do the functions below, because ranks on which others wait need rows in every step.
  void aim_at(const Box& box, std::span<const int> memory_order);

  // Restricts the rows to a part of the sites wanted at first. Also allocates no memory.
  void narrow(const Box& part) noexcept;

  bool next(Row& row);  // false after the last one
  void restart() noexcept;
  // The next row is the first one with a site at or after `file_site`; it may begin before it.
  void seek(std::uint64_t file_site) noexcept;
  // Coordinates of site k of a row.
  Coord site(const Row& row, std::uint64_t k) const;
  const RowPlan& plan() const noexcept { return plan_; }  // with orders resolved

 private:
  Runs common_runs() noexcept;

  RowPlan plan_;
  Part file_, memory_, lattice_;
  Runs runs_;
};

}  // namespace lq::lattice
