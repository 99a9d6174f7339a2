// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One array of a payload as a sequence of bytes, although its sites lie in tiles.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "engine/tile_files.hpp"
#include "lattice/tile_map.hpp"

namespace lq::engine {

class TiledArray {
 public:
  // Its tiles are those from number `first_tile` on. All of it outlives the object.
  TiledArray(const lattice::TileMap& map, TileFiles& tiles, std::uint64_t first_tile, std::uint64_t site_bytes)
      : map_(map), tiles_(tiles), first_tile_(first_tile), site_bytes_(site_bytes) {}

  void read(std::uint64_t offset, base::MutableBytes buffer);
  // Who writes the last byte of a site writes the padding after it, as zeros.
  void write(std::uint64_t offset, base::Bytes bytes);

 private:
  // Bytes that are contiguous in a tile.
  struct Span {
    std::size_t tile = 0;
    std::uint64_t within = 0;
    std::size_t bytes = 0;
    std::uint64_t padding = 0;  // after them
  };
  Span span_at(std::uint64_t offset, std::size_t most) const noexcept;

  const lattice::TileMap& map_;
  TileFiles& tiles_;
  std::uint64_t first_tile_, site_bytes_;
};

}  // namespace lq::engine
