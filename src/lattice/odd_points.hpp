// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where links lie in a file that has a place for odd sites only (Payload::at_odd_points): the links of both directions
// of such a site contiguous, those of the backward directions being links of its even neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include <limequat/catalog.hpp>

namespace lq::lattice {

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
