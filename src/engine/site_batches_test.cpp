// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Batches cover the rows' sites once, in order, in pieces that fit a block.
#include "engine/site_batches.hpp"

#include <gtest/gtest.h>

namespace lq::engine {
namespace {

struct Case {
  Extents lattice;
  Box mine;
  SiteOrder memory_order;
  std::uint64_t max_sites;
};

class SiteBatchesOf : public ::testing::TestWithParam<Case> {};

TEST_P(SiteBatchesOf, CoverTheRowsSitesOnceInPiecesThatFit) {
  const auto& [extents, mine, memory_order, max_sites] = GetParam();
  SiteBatches batches({lattice::Rows({extents, whole(extents), {}, mine, memory_order, mine})}, max_sites);
  SiteBatch batch;
  std::uint64_t sites = 0, behind = 0;
  while (batches.next(batch)) {
    ASSERT_LE(batch.sites, max_sites);
    ASSERT_GE(batch.file_site, behind);
    std::uint64_t at = batch.file_site;
    for (const Piece& piece : batch.pieces) {
      ASSERT_EQ(piece.file_site(), at);  // contiguous in the file
      ASSERT_EQ(piece.site_rank(), at);  // full lattice in natural order
      at += piece.sites;
    }
    ASSERT_EQ(at - batch.file_site, batch.sites);
    behind = at;
    sites += batch.sites;
  }
  EXPECT_EQ(sites, mine.volume());
}

INSTANTIATE_TEST_SUITE_P(Boxes, SiteBatchesOf,
                         ::testing::Values(Case{{4, 4, 4, 4}, {{0, 0, 0, 0}, {4, 4, 4, 4}}, {}, 10},
                                           Case{{4, 4, 4, 4}, {{0, 0, 0, 0}, {4, 4, 4, 4}}, {3, 2, 1, 0}, 10},
                                           Case{{4, 4, 4, 4}, {{2, 0, 0, 0}, {2, 4, 4, 4}}, {}, 1000},
                                           Case{{5, 3}, {{1, 1}, {3, 2}}, {1, 0}, 1}));

TEST(SiteBatches, OfAWholeLatticeInForeignMemoryOrderAreStillContiguous) {
  const Extents extents{4, 4};
  SiteBatches batches({lattice::Rows({extents, whole(extents), {}, whole(extents), {1, 0}, whole(extents)})}, 1000);
  SiteBatch batch;
  ASSERT_TRUE(batches.next(batch));
  EXPECT_EQ(batch.sites, 16U);
  EXPECT_EQ(batch.pieces.size(), 4U);
  EXPECT_FALSE(batches.next(batch));
}

}  // namespace
}  // namespace lq::engine
