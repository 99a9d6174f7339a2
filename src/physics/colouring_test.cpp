// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The law of colours, on all small lattices.
#include "physics/halo.hpp"

#include <gtest/gtest.h>

#include "lattice/site_order.hpp"

namespace lq::physics {
namespace {

void expect_neighbours_differ(const Extents& extents) {
  const Colouring colouring(extents);
  for (std::uint64_t rank = 0; rank < volume(extents); ++rank) {
    const Coord x = lattice::site_of_rank(rank, extents);
    const int colour = colouring.colour_of(x);
    EXPECT_TRUE(colour >= 0 && colour < colouring.colours());
    for (int mu = 0; mu < extents.size(); ++mu) {
      Coord next = x;
      next[mu] = (x[mu] + 1) % extents[mu];
      EXPECT_NE(colouring.colour_of(next), colour) << to_string(extents) << " at " << to_string(x);
    }
  }
}

TEST(Colouring, NeighboursDifferInTwoDimensions) {
  for (std::int64_t x = 2; x < 8; ++x) {
    for (std::int64_t y = 2; y < 8; ++y) expect_neighbours_differ({x, y});
  }
}

TEST(Colouring, NeighboursDifferInThreeAndFourDimensions) {
  for (std::int64_t x = 2; x < 6; ++x) {
    for (std::int64_t y = 2; y < 6; ++y) {
      for (std::int64_t z = 2; z < 6; ++z) expect_neighbours_differ({x, y, z});
      expect_neighbours_differ({x, y, 3, 2});
    }
  }
}

TEST(Colouring, EvenExtentsNeedTwoColoursOddOnesThree) {
  EXPECT_EQ(Colouring({4, 4, 2, 6}).colours(), 2);
  EXPECT_EQ(Colouring({4, 4, 3, 6}).colours(), 3);
}

TEST(Colouring, WithoutExtentsThereIsOneColour) {
  EXPECT_EQ(Colouring().colours(), 1);
  EXPECT_EQ(Colouring().colour_of({3, 2, 1}), 0);
}

}  // namespace
}  // namespace lq::physics
