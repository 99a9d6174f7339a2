// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/tiles.hpp"

#include <gtest/gtest.h>

#include <set>

#include "lattice/site_order.hpp"

namespace lq::lattice {
namespace {

struct WantedBlocks {
  Box stored, wanted;
  Extents block;
  SiteOrder order;
};

class BlocksOf : public ::testing::TestWithParam<WantedBlocks> {};

TEST_P(BlocksOf, HaveEachWantedSiteOnceAndNoneOfTwoTiles) {
  const auto& [stored, wanted, block, order] = GetParam();
  Payload payload;
  payload.stored = stored;
  payload.block = block;
  payload.order = order;
  const Blocks blocks(payload, wanted);
  std::set<std::vector<std::int64_t>> seen;
  for (std::uint64_t k = 0; k < blocks.count(); ++k) {
    const Box box = blocks.box(k);
    ASSERT_FALSE(box.empty());
    EXPECT_EQ(intersect(box, wanted), box);
    Coord x = box.lower;
    do {
      EXPECT_TRUE(seen.emplace(x.begin(), x.end()).second);
      for (int d = 0; d < block.size(); ++d) {
        EXPECT_EQ((x[d] - stored.lower[d]) / block[d], (box.lower[d] - stored.lower[d]) / block[d]);
      }
    } while (advance(x, box, resolve_order({}, block.size())));
  }
  EXPECT_EQ(seen.size(), wanted.volume());
}

INSTANTIATE_TEST_SUITE_P(Boxes, BlocksOf,
                         ::testing::Values(WantedBlocks{{{0, 0}, {8, 6}}, {{0, 0}, {8, 6}}, {4, 6}, {}},
                                           WantedBlocks{{{0, 0}, {7, 5}}, {{0, 0}, {7, 5}}, {3, 2}, {1, 0}},
                                           WantedBlocks{{{2, 1}, {9, 9}}, {{4, 3}, {5, 6}}, {4, 3}, {}},
                                           WantedBlocks{{{0, 0}, {8, 8}}, {{4, 0}, {4, 8}}, {4, 4}, {}},
                                           WantedBlocks{{{0, 0}, {8, 8}}, {{0, 3}, {1, 1}}, {2, 2}, {}}));

TEST(Blocks, GoInTheOrderOfThePayload) {
  Payload payload;
  payload.stored = {{0, 0}, {4, 4}};
  payload.block = {2, 2};
  payload.order = {1, 0};
  const Blocks blocks(payload, payload.stored);
  EXPECT_EQ(blocks.box(1).lower, (Coord{0, 2}));
  EXPECT_EQ(blocks.box(2).lower, (Coord{2, 0}));
}

TEST(Blocks, OfNothingAreNone) {
  Payload payload;
  payload.stored = {{0, 0}, {4, 4}};
  payload.block = {2, 2};
  EXPECT_EQ(Blocks(payload, {{0, 0}, {0, 4}}).count(), 0U);
}

}  // namespace
}  // namespace lq::lattice
