// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of sites, compared with plain counting.
#include "lattice/site_order.hpp"

#include <gtest/gtest.h>

#include <limequat/error.hpp>

#include "support/error_of.hpp"
#include "support/random_geometry.hpp"

namespace lq::lattice {
namespace {

using testing::error_of;
using testing::RandomGeometry;
using testing::sites_of;

TEST(SiteOrder, EmptyMeansXFastest) {
  EXPECT_EQ(resolve_order({}, 4), (SiteOrder{0, 1, 2, 3}));
  EXPECT_EQ(resolve_order({3, 0, 1, 2}, 4), (SiteOrder{3, 0, 1, 2}));
}

TEST(SiteOrder, RefusesWhatIsNoPermutation) {
  for (const SiteOrder& order : {SiteOrder{0, 1}, {0, 1, 1}, {1, 2, 3}, {0, 1, 2, 3}, {0, -1, 2}, {0, 1, 1000000}}) {
    EXPECT_EQ(error_of([&] { resolve_order(order, 3); }).code(), Code::invalid_argument);
  }
}

TEST(SiteNumber, CountsTheSitesOfABoxInOrder) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    RandomGeometry random(seed);
    const Box box = random.box_in(whole(random.extents(5, 3000)));
    const SiteOrder order = resolve_order(random.order(box.extents.size()), box.extents.size());
    std::uint64_t number = 0;
    for (const Coord& x : sites_of(box, order)) {
      ASSERT_EQ(site_number(x, box, order), number);
      ASSERT_EQ(site_at(number, box, order), x);
      ++number;
    }
  }
}

TEST(SiteNumber, AdvanceVisitsTheSitesInOrderAndReturnsToTheFirst) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    RandomGeometry random(seed);
    const Box box = random.box_in(whole(random.extents(5, 3000)));
    const SiteOrder order = resolve_order(random.order(box.extents.size()), box.extents.size());
    Coord x = box.lower;
    std::vector<Coord> visited{x};
    while (advance(x, box, order)) visited.push_back(x);
    EXPECT_EQ(visited, sites_of(box, order));
    EXPECT_EQ(x, box.lower);
  }
}

TEST(SiteRank, RunsXFastest) {
  EXPECT_EQ(site_rank({1, 2, 3, 4}, {8, 8, 8, 16}), 1u + 8 * (2 + 8 * (3 + 8 * 4)));
  EXPECT_EQ(site_of_rank(1 + 8 * (2 + 8 * (3 + 8 * 4)), {8, 8, 8, 16}), Coord({1, 2, 3, 4}));
}

TEST(SiteRank, IsExactIn64Bits) {
  const Extents extents{65536, 65536, 65536, 32767};
  const Coord last{65535, 65535, 65535, 32766};
  EXPECT_EQ(site_rank(last, extents), volume(extents) - 1);
  EXPECT_EQ(site_of_rank(volume(extents) - 1, extents), last);
}

}  // namespace
}  // namespace lq::lattice
