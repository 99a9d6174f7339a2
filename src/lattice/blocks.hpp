// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks of the lattice that are the tiles of a payload, one after the other: whoever goes along them has done with
// a tile before the next one begins.
#pragma once

#include <algorithm>
#include <cstdint>

#include <limequat/catalog.hpp>

#include "lattice/tiles.hpp"

namespace lq::lattice {

class Blocks {
 public:
  // Those with sites of `wanted`, which is inside the payload's stored box.
  Blocks(const Payload& payload, const Box& wanted);

  std::uint64_t count() const noexcept { return count_; }
  // The wanted sites of a block; in the order of the payload. Needs no memory.
  Box box(std::uint64_t number) const noexcept;

 private:
  Box wanted_;
  SiteOrder order_;
  Coord origin_;  // first site of the first block
  Extents block_, counts_;
  std::uint64_t count_ = 1;
};

// Some of the blocks in parts of bounded size, as items for threads: whole blocks, or, where it is too much that each
// thread has one, parts of the same block.
class BlockParts {
 public:
  BlockParts(const Blocks& blocks, const SiteOrder& order, std::uint64_t most_sites, const Share& share, bool by_part)
      : blocks_(blocks), order_(order), most_sites_(std::max<std::uint64_t>(most_sites, 1)), share_(share) {
    if (!by_part) return;
    // The inner blocks have the most parts.
    for (std::uint64_t k = share.begin; k < share.end; ++k) parts_ = std::max(parts_, parts_of(k).count());
  }

  std::uint64_t items() const noexcept { return (share_.end - share_.begin) * std::max<std::uint64_t>(parts_, 1); }
  template <class Work>
  void for_each_box(std::uint64_t item, const Work& work) const {
    const Tiles parts = parts_of(share_.begin + item / std::max<std::uint64_t>(parts_, 1));
    const std::uint64_t begin = parts_ == 0 ? 0 : item % parts_, end = parts_ == 0 ? parts.count() : begin + 1;
    for (std::uint64_t k = begin; k < std::min(end, parts.count()); ++k) work(parts.tile(k));
  }

 private:
  Tiles parts_of(std::uint64_t block) const { return {blocks_.box(block), order_, most_sites_}; }

  Blocks blocks_;
  SiteOrder order_;
  std::uint64_t most_sites_;
  Share share_;
  std::uint64_t parts_ = 0;  // of a block, at most; 0: blocks are not dealt out in parts
};

}  // namespace lq::lattice
