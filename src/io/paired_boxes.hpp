// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of two payloads of one lattice in boxes with long rows in both, or along the blocks that one of them is
// encoded in: each block is decoded or encoded once, where a box across several of them would have all of these
// decoded for a part of each.
#pragma once

#include <cstdint>
#include <optional>

#include <limequat/catalog.hpp>

#include "engine/file_order.hpp"
#include "engine/stretches.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tiles.hpp"

namespace lq::io {

class PairedBoxes {
 public:
  // A part of them, in boxes of at most `most_sites` sites; along the blocks of `blocked` unless it is nullptr.
  PairedBoxes(const Payload& one, const Payload& other, const Payload* blocked, std::uint64_t most_sites,
              const engine::PartIndex& part, int threads) {
    if (blocked != nullptr) {
      const lattice::Blocks blocks(*blocked, blocked->stored);
      blocks_.emplace(blocks, blocked->order, most_sites, lattice::share_of(blocks.count(), part.all, part.number),
                      engine::are_large_blocks(*blocked, threads));
      return;
    }
    const int dimensions = one.stored.extents.size();
    tiles_.emplace(one.stored,
                   lattice::interleaved(lattice::resolve_order(one.order, dimensions),
                                        lattice::resolve_order(other.order, dimensions)),
                   most_sites);
    share_ = lattice::share_of(tiles_->count(), part.all, part.number);
  }

  std::uint64_t items() const noexcept { return blocks_ ? blocks_->items() : share_.end - share_.begin; }

  template <class Work>
  void for_each_box(std::uint64_t item, const Work& work) const {
    if (blocks_) return blocks_->for_each_box(item, work);
    work(tiles_->tile(share_.begin + item));
  }

 private:
  std::optional<lattice::BlockParts> blocks_;
  std::optional<lattice::Tiles> tiles_;
  lattice::Share share_;  // of the tiles
};

}  // namespace lq::io
