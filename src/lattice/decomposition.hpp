// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which rank owns which site: a lattice distributed over a process grid as evenly as possible. Block i of an extent L
// over P ranks has L/P sites, one more if i < L mod P, so ranks beyond the extent hold no sites. Only this code maps
// ranks to places of the process grid, and back.
#pragma once

#include <cstdint>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq::lattice {

// The part [lower, lower + extent) of `extent` that block `index` of `blocks` holds.
struct Block {
  std::int64_t lower = 0, extent = 0;
};
Block block_of(std::int64_t extent, std::int64_t blocks, std::int64_t index) noexcept;
// The block that holds position x.
std::int64_t block_index(std::int64_t extent, std::int64_t blocks, std::int64_t x) noexcept;

// A process grid for `ranks` ranks whose local blocks are as cubic as possible. Slow dimensions are divided first,
// because that keeps a rank's pieces of the file long; divisors of the extents are preferred.
Extents choose_processes(const Extents& extents, std::int64_t ranks);

class Decomposition {
 public:
  // `holders`: the rank at each place of the process grid, with places in `rank_order`, in any order of ranks; empty
  // means 0 .. volume(processes) - 1. Costs 8 bytes for each place.
  // invalid_argument: extents or processes below 1, different dimensions, wrong number of holders.
  Decomposition(const Extents& extents, const Extents& processes, const SiteOrder& rank_order = {},
                std::vector<int> holders = {});

  const Extents& extents() const noexcept { return extents_; }
  const Extents& processes() const noexcept { return processes_; }
  std::uint64_t volume() const noexcept { return volume_; }

  // With defaults filled in; and as passed.
  const SiteOrder& rank_order() const noexcept { return rank_order_; }
  const std::vector<int>& holders() const noexcept { return holders_; }

  // The sites of a rank; an empty box for ranks without sites.
  Box box_of(int rank) const;
  // The rank that holds site x, which must be in the lattice.
  int owner(const Coord& x) const noexcept;
  // The place of that rank in the process grid, and the rank of a place.
  Coord process_of(const Coord& x) const noexcept;
  int rank_at(const Coord& process) const noexcept;
  // The sites in the block of that place, dimension d only.
  Block block(int d, std::int64_t index) const noexcept { return block_of(extents_[d], processes_[d], index); }
  // Adds the ranks that hold sites of the box, which is inside the lattice, ascending along the process grid.
  void add_holders(const Box& box, std::vector<int>& ranks) const;

 private:
  std::int64_t position_of(int rank) const noexcept;  // in the process grid; below 0 if it is not there

  Extents extents_, processes_;
  SiteOrder rank_order_;
  std::vector<int> holders_;    // empty: identity
  std::vector<int> positions_;  // in holders_, in the order of the ranks there
  std::uint64_t volume_ = 0, ranks_ = 0;
};

}  // namespace lq::lattice
