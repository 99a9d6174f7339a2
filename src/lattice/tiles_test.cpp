// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tiles: every site in exactly one, none too large, each contiguous in the file's order.
#include "lattice/tiles.hpp"

#include <gtest/gtest.h>

#include <set>

#include "lattice/site_order.hpp"

namespace lq::lattice {
namespace {

struct Case {
  Box box;
  SiteOrder order;
  std::uint64_t max_sites;
};

class TilesOf : public ::testing::TestWithParam<Case> {};

TEST_P(TilesOf, CoverEverySiteOnceInFileOrder) {
  const auto& [box, order, max_sites] = GetParam();
  const Tiles tiles(box, order, max_sites);
  const SiteOrder resolved = resolve_order(order, box.extents.size());
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < tiles.count(); ++i) {
    const Box tile = tiles.tile(i);
    ASSERT_LE(tile.volume(), max_sites);
    Coord x = tile.lower;
    do {
      ASSERT_EQ(site_number(x, box, resolved), expected++);
    } while (advance(x, tile, resolved));
  }
  EXPECT_EQ(expected, box.volume());
}

INSTANTIATE_TEST_SUITE_P(Boxes, TilesOf,
                         ::testing::Values(Case{{{0, 0, 0, 0}, {4, 3, 5, 2}}, {}, 1},
                                           Case{{{0, 0, 0, 0}, {4, 3, 5, 2}}, {}, 7},
                                           Case{{{1, 2, 3, 4}, {4, 3, 5, 2}}, {3, 2, 1, 0}, 13},
                                           Case{{{0, 0}, {6, 6}}, {1, 0}, 36}, Case{{{5}, {11}}, {}, 4},
                                           Case{{{0, 0, 0, 0}, {4, 3, 5, 2}}, {}, 1000}));

TEST(Tiles, OfAnEmptyBoxAreNone) { EXPECT_EQ(Tiles({{0, 0}, {0, 4}}, {}, 8).count(), 0U); }

TEST(Tiles, OfAHugeLatticeNeedNoMemory) {
  const Tiles tiles(whole({1 << 20, 1 << 20, 1 << 20}), {}, 1 << 10);
  EXPECT_EQ(tiles.count(), std::uint64_t{1} << 50);
  EXPECT_EQ(tiles.tile(tiles.count() - 1).lower, (Coord{(1 << 20) - (1 << 10), (1 << 20) - 1, (1 << 20) - 1}));
}

TEST(Shares, DealOutEverythingAsEvenlyAsPossible) {
  for (std::uint64_t total : {0U, 1U, 7U, 12U}) {
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < 5; ++i) {
      const Share share = share_of(total, 5, i);
      EXPECT_EQ(share.begin, next);
      EXPECT_LE(share.end - share.begin, total / 5 + 1);
      next = share.end;
    }
    EXPECT_EQ(next, total);
  }
}

}  // namespace
}  // namespace lq::lattice
