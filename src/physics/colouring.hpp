// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Colours of sites such that neighbours differ, for any periodic lattice with extents of 2 and more: even and odd
// where all extents are even, else three colours. Links of one direction and one colour can be updated in any order.
#pragma once

#include <limequat/lattice.hpp>

namespace lq::physics {

class Colouring {
 public:
  // Every site has colour 0.
  Colouring() = default;
  explicit Colouring(const Extents& extents) : extents_(extents), colours_(2) {
    for (const auto extent : extents) {
      if (extent % 2 != 0) colours_ = 3;
    }
  }

  int colours() const noexcept { return colours_; }

  int colour_of(const Coord& x) const noexcept {
    std::int64_t sum = 0;
    for (int d = 0; d < extents_.size(); ++d) {
      // Along a ring of odd length colours alternate except for the last site, which has the third colour.
      const bool closes_odd_ring = extents_[d] % 2 != 0 && x[d] == extents_[d] - 1;
      sum += closes_odd_ring ? 2 : x[d] % 2;
    }
    return static_cast<int>(sum % colours_);
  }

 private:
  Extents extents_;
  int colours_ = 1;
};

}  // namespace lq::physics
