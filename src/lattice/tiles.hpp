// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A box cut into tiles of bounded size, each contiguous in file order as far as possible: the unit in which
// data pass through bounded memory.
#pragma once

#include <cstdint>

#include <limequat/lattice.hpp>

namespace lq::lattice {

class Tiles {
 public:
  // Tiles of at most `max_sites` sites (at least one), in file order; `order` as in SiteOrder.
  Tiles(const Box& box, const SiteOrder& order, std::uint64_t max_sites);

  std::uint64_t count() const noexcept { return count_; }
  Box tile(std::uint64_t number) const;

 private:
  Box box_;
  SiteOrder order_;
  Extents tile_;    // extents of a full tile
  Extents counts_;  // tiles in each dimension
  std::uint64_t count_ = 0;
};

// The part of 0 .. total-1 that share `index` of `shares` gets, as evenly as possible.
struct Share {
  std::uint64_t begin = 0, end = 0;
};
Share share_of(std::uint64_t total, std::uint64_t shares, std::uint64_t index) noexcept;

}  // namespace lq::lattice
