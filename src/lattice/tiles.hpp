// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A box divided into tiles of bounded size, each contiguous in file order if possible: the unit in which data pass
// through bounded memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <limequat/catalog.hpp>
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

// Share `index` of `shares` of 0 .. total-1, as even as possible.
struct Share {
  std::uint64_t begin = 0, end = 0;
};
Share share_of(std::uint64_t total, std::uint64_t shares, std::uint64_t index) noexcept;

// The blocks of the lattice that are the tiles of a payload, in sequence: a loop over them finishes each tile before
// the next one begins.

class Blocks {
 public:
  // The blocks with sites of `wanted`, which is inside the payload's stored box.
  Blocks(const Payload& payload, const Box& wanted);

  std::uint64_t count() const noexcept { return count_; }
  // The wanted sites of a block; in the order of the payload. Allocates no memory.
  Box box(std::uint64_t number) const noexcept;

 private:
  Box wanted_;
  SiteOrder order_;
  Coord origin_;  // first site of the first block
  Extents block_, counts_;
  std::uint64_t count_ = 1;
};

// Some of the blocks in parts of bounded size, as items for threads: whole blocks or, if memory does not permit one for
// each thread, parts of the same block.
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
  std::uint64_t parts_ = 0;  // maximum per block; 0: blocks are not divided
};

// Any range of the sequence of a box's sites as boxes, in the order of the sequence.

class RangeBoxes {
 public:
  // Sites begin .. end - 1 of the box, in boxes of at most `max_sites` sites (at least one); `order` as in SiteOrder.
  RangeBoxes(const Box& box, const SiteOrder& order, std::uint64_t begin, std::uint64_t end, std::uint64_t max_sites);
  bool next(Box& part);  // false after the last one

 private:
  Box box_;
  SiteOrder order_;
  std::uint64_t at_, end_, max_sites_;
};

// A run of consecutive sites of an ordered box as a few boxes.

// Disjoint boxes that together are the sites number first .. end-1 of `box` in the given (resolved) order: at most 2 d
// - 1 of them in d dimensions. `end` is at most the box's volume.
class BoxesOfInterval {
 public:
  BoxesOfInterval(std::uint64_t first, std::uint64_t end, const Box& box, const SiteOrder& order);
  std::size_t size() const noexcept { return count_; }
  const Box& operator[](std::size_t i) const noexcept { return boxes_[i]; }
  const Box* begin() const noexcept { return boxes_.data(); }
  const Box* end() const noexcept { return boxes_.data() + count_; }

 private:
  std::array<Box, 2 * max_dimensions> boxes_;
  std::size_t count_ = 0;
};

}  // namespace lq::lattice
