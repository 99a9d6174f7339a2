// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps a site of a payload's sequence to its tile and its place there: tiles are runs of the sequence, or blocks of the
// lattice, which are stored at full size even at the edge of the lattice.
#pragma once

#include <cstdint>
#include <vector>

#include <limequat/catalog.hpp>

namespace lq::lattice {

// Sites that are contiguous in a tile.
struct TilePiece {
  std::uint64_t tile = 0;
  std::uint64_t first = 0;    // index of the first site in the tile
  std::uint64_t sites = 0;    // at most, from that one on
  std::uint64_t padding = 0;  // unused places after the last site
};

class TileMap {
 public:
  // For a payload with tiles; the same for each of its arrays. invalid_argument: its blocks do not fit its lattice.
  explicit TileMap(const Payload& payload);

  std::uint64_t tiles() const noexcept { return tiles_; }
  // Number of places for sites in a tile.
  std::uint64_t places(std::uint64_t tile) const noexcept;
  // The contiguous piece that begins with a site of the sequence.
  TilePiece piece_at(std::uint64_t file_site) const noexcept;
  // This number of sites of the sequence, starting at a multiple of it, are all sites of the tiles that contain them.
  std::uint64_t layer_sites() const noexcept { return layer_sites_; }

 private:
  // Dimensions in the order of the sequence. Those that one block spans are merged with the next one.
  Extents extents_, block_, counts_;
  bool is_padded_;
  std::uint64_t tiles_, layer_sites_;
};

// The offset of a byte of a site in its file; for encoded tiles, of the tile's first byte. tile_sites 0: contiguous.
std::uint64_t offset_of(const Payload& payload, std::uint64_t file_site, std::uint64_t byte_of_site = 0);

// True if `box` contains either all or none of the sites of each tile of the payload.
bool has_whole_blocks(const Payload& payload, const Box& box) noexcept;

// The places of links in a file that stores odd sites only (Payload::at_odd_points): the links of such a site in both
// directions are contiguous; those of the backward directions belong to its even neighbours.

class OddPoints {
 public:
  // A field with one link for each dimension, of any numbers, on a whole lattice of even extents; in blocks, if any,
  // that are even along the fastest dimension, in which case places count in the sequence of blocks. invalid_argument
  // otherwise.
  explicit OddPoints(const Payload& payload);

  std::uint64_t link_bytes() const noexcept { return link_bytes_; }
  int links() const noexcept { return static_cast<int>(strides_.size()); }

  // Iterates over the sites of the sequence, from site number `first` on.
  class Walk {
   public:
    Walk(const OddPoints& points, std::uint64_t first) noexcept;
    void advance() noexcept;
    // The place of the site's link number k of the sequence, in links from the beginning of the data.
    std::uint64_t place(int k) const noexcept;

   private:
    const OddPoints& points_;
    std::uint64_t site_;
    Coord x_;  // in the order of the file
  };

 private:
  Extents extents_;                     // in the order of the file, fastest first
  std::vector<std::uint64_t> strides_;  // the same
  std::vector<int> direction_;          // direction of link k of a site, in that order
  std::uint64_t link_bytes_ = 0;
};

}  // namespace lq::lattice
