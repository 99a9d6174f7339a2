// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The law of a decomposition: no site twice, none missing.
#include "lattice/decomposition.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include <limequat/error.hpp>

#include "lattice/site_order.hpp"
#include "support/error_of.hpp"
#include "support/random_geometry.hpp"

namespace lq::lattice {
namespace {

using testing::error_of;
using testing::RandomGeometry;
using testing::sites_of;

// Every site lies in the box of exactly one of `ranks` ranks, and that is its owner.
void expect_every_site_once(const Decomposition& decomposition, int ranks) {
  std::vector<int> owners(decomposition.volume(), -1);
  for (int rank = 0; rank < ranks; ++rank) {
    for (const Coord& x : sites_of(decomposition.box_of(rank))) {
      int& owner = owners[site_rank(x, decomposition.extents())];
      ASSERT_EQ(owner, -1) << to_string(x) << " twice";
      ASSERT_EQ(decomposition.owner(x), rank);
      owner = rank;
    }
  }
  for (const int owner : owners) ASSERT_GE(owner, 0) << "a site of nobody";
}

TEST(Decomposition, HoldsEverySiteOnceOnRandomGrids) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    RandomGeometry random(seed);
    const Extents extents = random.extents(7, 3000);
    Extents processes = extents;  // often more ranks than sites in a dimension
    for (int d = 0; d < extents.size(); ++d) processes[d] = random.between(1, 4);
    if (volume(processes) > 500) continue;
    const Decomposition decomposition(extents, processes, random.order(extents.size()));
    expect_every_site_once(decomposition, static_cast<int>(volume(processes)));
  }
}

TEST(Decomposition, HoldsEverySiteOnceWhenOnlySomeRanksHoldAny) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    RandomGeometry random(seed);
    const Extents extents = random.extents(6, 1000);
    std::vector<int> holders;
    for (int rank = 0; rank < 40; ++rank) {
      if (random.between(0, 2) == 0 || (rank == 39 && holders.empty())) holders.push_back(rank);
    }
    if (random.between(0, 1) == 0) std::reverse(holders.begin(), holders.end());
    const Extents processes = choose_processes(extents, static_cast<std::int64_t>(holders.size()));
    const Decomposition decomposition(extents, processes, random.order(extents.size()), holders);
    expect_every_site_once(decomposition, 40);
    for (int rank = 0; rank < 40; ++rank) {
      const bool holds = std::find(holders.begin(), holders.end(), rank) != holders.end();
      ASSERT_TRUE(holds || decomposition.box_of(rank).empty());
    }
  }
}

TEST(Decomposition, SharesAsEvenlyAsPossible) {
  const Decomposition decomposition({10}, {4});
  EXPECT_EQ(decomposition.box_of(0), (Box{{0}, {3}}));
  EXPECT_EQ(decomposition.box_of(1), (Box{{3}, {3}}));
  EXPECT_EQ(decomposition.box_of(2), (Box{{6}, {2}}));
  EXPECT_EQ(decomposition.box_of(3), (Box{{8}, {2}}));
}

TEST(Decomposition, RanksBeyondTheExtentOrTheGridHoldNothing) {
  const Decomposition decomposition({2, 4}, {3, 1});
  EXPECT_FALSE(decomposition.box_of(1).empty());
  EXPECT_EQ(decomposition.box_of(2), (Box{{0, 0}, {0, 0}}));
  EXPECT_TRUE(decomposition.box_of(3).empty());
  EXPECT_TRUE(decomposition.box_of(-1).empty());
}

TEST(Decomposition, RankOrderSaysWhereConsecutiveRanksGo) {
  const Decomposition natural({4, 4}, {2, 2});
  EXPECT_EQ(natural.box_of(1).lower, Coord({2, 0}));
  const Decomposition cartesian({4, 4}, {2, 2}, {1, 0});
  EXPECT_EQ(cartesian.box_of(1).lower, Coord({0, 2}));
}

// By plain loops over the places: which rank is where, which sites it has, and who holds a box.
TEST(Decomposition, PutsRanksWhereATableHasThem) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    RandomGeometry random(seed);
    const Extents extents = random.extents(7, 3000);
    Extents processes = extents;
    for (int d = 0; d < extents.size(); ++d) processes[d] = random.between(1, 4);
    if (volume(processes) > 500) continue;
    const std::vector<Coord> places = sites_of(whole(processes));  // x fastest
    const std::vector<int> ranks = random.permutation(static_cast<int>(places.size()));
    const Decomposition decomposition(extents, processes, {}, ranks);
    expect_every_site_once(decomposition, static_cast<int>(ranks.size()));
    const Box part = random.box_in(whole(extents));
    std::vector<int> holders, found;
    for (std::size_t i = 0; i < places.size(); ++i) {
      ASSERT_EQ(decomposition.rank_at(places[i]), ranks[i]);
      const Box box = decomposition.box_of(ranks[i]);
      for (int d = 0; d < extents.size() && !box.empty(); ++d) {
        ASSERT_EQ(box.lower[d], block_of(extents[d], processes[d], places[i][d]).lower);
      }
      if (!intersect(box, part).empty()) holders.push_back(ranks[i]);
    }
    decomposition.add_holders(part, found);
    ASSERT_EQ(found, holders) << "seed " << seed;
  }
}

TEST(Decomposition, ATableOfAMillionRanksCosts8BytesForEach) {
  std::vector<int> ranks = RandomGeometry(1).permutation(1 << 20);
  const Extents processes{32, 32, 32, 32};
  const Decomposition decomposition({64, 64, 64, 64}, processes, {}, ranks);
  EXPECT_EQ(decomposition.holders().capacity(), ranks.size());
  for (const std::size_t i : {std::size_t{0}, std::size_t{12345}, ranks.size() - 1}) {
    const Coord place = site_of_rank(i, processes);
    EXPECT_EQ(decomposition.rank_at(place), ranks[i]);
    EXPECT_EQ(decomposition.box_of(ranks[i]).lower, Coord({2 * place[0], 2 * place[1], 2 * place[2], 2 * place[3]}));
  }
}

TEST(Decomposition, NamesTheTwoPlacesOfARank) {
  const Error error = error_of([] { Decomposition({4, 4}, {2, 2}, {}, {0, 3, 1, 3}); });
  EXPECT_STREQ(error.what(),
               "rank 3 is at two places of process grid 2x2, 1,0 and 1,1; give each place a rank of its own");
}

TEST(Decomposition, IsExactFor64BitExtentsAndMillionsOfRanks) {
  const std::int64_t extent = std::numeric_limits<std::int64_t>::max();
  const Decomposition decomposition({extent}, {std::numeric_limits<int>::max()});
  EXPECT_EQ(decomposition.owner({extent - 1}), std::numeric_limits<int>::max() - 1);
  for (const int rank : {0, 1, 123456789, std::numeric_limits<int>::max() - 1}) {
    const Box box = decomposition.box_of(rank);
    EXPECT_EQ(decomposition.owner(box.lower), rank);
    EXPECT_EQ(decomposition.owner({box.lower[0] + box.extents[0] - 1}), rank);
  }
}

TEST(Decomposition, RefusesWhatMakesNoSense) {
  const auto refused = [](const Extents& extents, const Extents& processes, std::vector<int> holders = {}) {
    return error_of([&] { Decomposition(extents, processes, {}, holders); }).code();
  };
  EXPECT_EQ(refused({4, 0}, {1, 1}), Code::invalid_argument);
  EXPECT_EQ(refused({4, 4}, {1, -1}), Code::invalid_argument);
  EXPECT_EQ(refused({}, {}), Code::invalid_argument);
  EXPECT_EQ(refused({4, 4}, {1, 1, 1}), Code::invalid_argument);
  EXPECT_EQ(refused({4, 4}, {2, 1}, {0, 1, 2}), Code::invalid_argument);
  EXPECT_EQ(refused({4, 4}, {2, 1}, {3, 3}), Code::invalid_argument);
  EXPECT_EQ(refused({4, 4}, {2, 1}, {0, -1}), Code::invalid_argument);
  EXPECT_EQ(refused({4, 4}, {65536, 65536}), Code::invalid_argument);
  EXPECT_EQ(refused({1ll << 32, 1ll << 32}, {1, 1}), Code::too_large);
  EXPECT_EQ(error_of([] { Decomposition({4, 4}, {1, 1}, {0, 0}); }).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace lq::lattice
