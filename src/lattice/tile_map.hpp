// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which tile a site of a payload's sequence is in, and where within it: tiles are runs of the sequence, or blocks of
// the lattice, which are stored at full size at its edge, too.
#pragma once

#include <cstdint>
#include <vector>

#include <limequat/catalog.hpp>

namespace lq::lattice {

// Sites that are contiguous in a tile.
struct TilePiece {
  std::uint64_t tile = 0;
  std::uint64_t first = 0;    // number within the tile of the first of them
  std::uint64_t sites = 0;    // at most, from that one on
  std::uint64_t padding = 0;  // places after the last of them that belong to no site
};

class TileMap {
 public:
  // Of a payload with tiles; the same for each of its arrays. invalid_argument: its blocks do not fit to its lattice.
  explicit TileMap(const Payload& payload);

  std::uint64_t tiles() const noexcept { return tiles_; }
  // Places for sites that a tile has.
  std::uint64_t places(std::uint64_t tile) const noexcept;
  // What lies in one piece from a site of the sequence on.
  TilePiece piece_at(std::uint64_t file_site) const noexcept;
  // So many sites of the sequence, from a multiple of so many on, are all sites of the tiles that they are in.
  std::uint64_t layer_sites() const noexcept { return layer_sites_; }

 private:
  // Dimensions in the order of the sequence. Those that one block spans are counted with the next one.
  Extents extents_, block_, counts_;
  bool is_padded_;
  std::uint64_t tiles_, layer_sites_;
};

// Where a byte of a site is in its file; of an encoded tile the first byte. tile_sites 0: in one piece.
std::uint64_t offset_of(const Payload& payload, std::uint64_t file_site, std::uint64_t byte_of_site = 0);

// Whether the sites of `box` are all sites of the tiles of the payload that they are in.
bool has_whole_blocks(const Payload& payload, const Box& box) noexcept;

// Where links lie in a file that has a place for odd sites only (Payload::at_odd_points): the links of both directions
// of such a site contiguous, those of the backward directions being links of its even neighbours.

class OddPoints {
 public:
  // A field with one link for each dimension, of whatever numbers, on a whole lattice of even extents; in blocks, if
  // any, that are even along the fastest one: places are then those of the sequence that these are shown as.
  // invalid_argument else.
  explicit OddPoints(const Payload& payload);

  std::uint64_t link_bytes() const noexcept { return link_bytes_; }
  int links() const noexcept { return static_cast<int>(strides_.size()); }

  // The sites of the sequence one after the other, from site number `first` on.
  class Walk {
   public:
    Walk(const OddPoints& points, std::uint64_t first) noexcept;
    void advance() noexcept;
    // The place, in links from the begin of the data, of the site's link that is number k of the sequence.
    std::uint64_t place(int k) const noexcept;

   private:
    const OddPoints& points_;
    std::uint64_t site_;
    Coord x_;  // in the order of the file
  };

 private:
  Extents extents_;                     // in the order of the file, fastest first
  std::vector<std::uint64_t> strides_;  // likewise
  std::vector<int> direction_;          // of link k of a site, as a number in that order
  std::uint64_t link_bytes_ = 0;
};

}  // namespace lq::lattice
