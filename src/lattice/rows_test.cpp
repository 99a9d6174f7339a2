// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows, compared with a plain loop over the stored sites in file order.
#include "lattice/rows.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include <limequat/error.hpp>

#include "lattice/decomposition.hpp"
#include "lattice/site_order.hpp"
#include "support/error_of.hpp"
#include "support/random_geometry.hpp"

namespace lq::lattice {
namespace {

using testing::error_of;
using testing::RandomGeometry;
using testing::sites_of;

struct Move {
  std::uint64_t file_site = 0, memory_site = 0, rank = 0;
  Coord x;
  friend bool operator==(const Move&, const Move&) = default;
};

std::vector<Move> moves_by_rows(const RowPlan& plan) {
  std::vector<Move> moves;
  Rows rows(plan);
  for (Row row; rows.next(row);) {
    for (std::uint64_t k = 0; k < row.sites; ++k) {
      const auto step = static_cast<std::int64_t>(k) * row.memory_stride;
      moves.push_back({row.file_site + k, row.memory_site + static_cast<std::uint64_t>(step),
                       row.site_rank + k * row.rank_stride, rows.site(row, k)});
    }
  }
  return moves;
}

std::uint64_t find(const std::vector<Coord>& sites, const Coord& x) {
  return static_cast<std::uint64_t>(std::find(sites.begin(), sites.end(), x) - sites.begin());
}

std::vector<Move> moves_by_counting(const RowPlan& plan) {
  const std::vector<Coord> stored = sites_of(plan.stored, plan.file_order);
  const std::vector<Coord> memory = sites_of(plan.memory, plan.memory_order);
  const std::vector<Coord> lattice = sites_of(whole(plan.extents));
  std::vector<Move> moves;
  for (const Coord& x : stored) {
    if (plan.wanted.contains(x)) moves.push_back({find(stored, x), find(memory, x), find(lattice, x), x});
  }
  return moves;
}

RowPlan random_plan(RandomGeometry& random) {
  RowPlan plan;
  plan.extents = random.extents(4, 300);
  plan.stored = random.box_in(whole(plan.extents));
  plan.memory = random.box_in(whole(plan.extents));
  plan.file_order = random.order(plan.extents.size());
  plan.memory_order = random.order(plan.extents.size());
  const Box common = intersect(plan.stored, plan.memory);
  plan.wanted = common.empty() ? common : random.box_in(common);
  return plan;
}

std::vector<Row> all_rows(const RowPlan& plan) {
  std::vector<Row> result;
  Rows rows(plan);
  for (Row row; rows.next(row);) result.push_back(row);
  return result;
}

RowPlan plain_plan(const Extents& extents, const Box& mine) { return {extents, whole(extents), {}, mine, {}, mine}; }

TEST(Rows, MoveTheSitesThatPlainCountingMoves) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    RandomGeometry random(seed);
    const RowPlan plan = random_plan(random);
    ASSERT_EQ(moves_by_rows(plan), moves_by_counting(plan)) << "seed " << seed;
  }
}

TEST(Rows, OfAllRanksCoverEveryStoredSiteOnce) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    RandomGeometry random(seed);
    const Extents extents = random.extents(5, 500);
    const Box stored = random.box_in(whole(extents));
    const int ranks = static_cast<int>(random.between(1, 12));
    const Decomposition decomposition(extents, choose_processes(extents, ranks), random.order(extents.size()));
    const SiteOrder file_order = random.order(extents.size());
    std::vector<int> seen(stored.volume());
    for (int rank = 0; rank < ranks; ++rank) {
      const Box mine = decomposition.box_of(rank);
      for (const Row& row : all_rows({extents, stored, file_order, mine, {}, intersect(mine, stored)})) {
        for (std::uint64_t k = 0; k < row.sites; ++k) ++seen[row.file_site + k];
      }
    }
    ASSERT_EQ(seen, std::vector<int>(stored.volume(), 1)) << "seed " << seed;
  }
}

TEST(Rows, AreOneForAWholeLatticeInTheSameOrder) {
  const std::vector<Row> rows = all_rows(plain_plan({8, 8, 8, 16}, whole({8, 8, 8, 16})));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].sites, 8192u);
  EXPECT_EQ(rows[0].memory_stride, 1);
}

TEST(Rows, AreOneForTimeSlicesAndOnePerTimeSliceForACutInZ) {
  EXPECT_EQ(all_rows(plain_plan({8, 8, 8, 16}, {{0, 0, 0, 4}, {8, 8, 8, 4}})).size(), 1u);
  EXPECT_EQ(all_rows(plain_plan({8, 8, 8, 16}, {{0, 0, 4, 0}, {8, 8, 4, 16}})).size(), 16u);
}

TEST(Rows, IgnoreDimensionsOfOneSite) {
  EXPECT_EQ(all_rows(plain_plan({1, 8, 1, 16}, {{0, 0, 0, 2}, {1, 8, 1, 3}})).size(), 1u);
}

TEST(Rows, EndWhereMemoryRunsInAnotherOrder) {
  RowPlan plan = plain_plan({4, 3}, whole({4, 3}));
  plan.memory_order = {1, 0};
  const std::vector<Row> rows = all_rows(plan);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].sites, 4u);
  EXPECT_EQ(rows[1].memory_site, 1u);
  EXPECT_EQ(rows[1].memory_stride, 3);
}

TEST(Rows, StepTheRankAlongAFileThatRunsTFastest) {
  RowPlan plan = plain_plan({4, 3}, whole({4, 3}));
  plan.file_order = {1, 0};
  const std::vector<Row> rows = all_rows(plan);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[2].rank_stride, 4u);
  EXPECT_EQ(rows[2].site_rank, 2u);
  EXPECT_EQ(rows[2].first, Coord({2, 0}));
}

TEST(Rows, AreExactForVolumesOf64Bits) {
  const Extents extents{65536, 65536, 65536, 32767};
  const std::vector<Row> one = all_rows(plain_plan(extents, whole(extents)));
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].sites, volume(extents));
  const Box corner{{65533, 65535, 65535, 32766}, {3, 1, 1, 1}};
  Rows rows(plain_plan(extents, corner));
  Row row;
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.file_site, volume(extents) - 3);
  EXPECT_EQ(row.site_rank, volume(extents) - 3);
  EXPECT_EQ(rows.site(row, 2), Coord({65535, 65535, 65535, 32766}));
  EXPECT_FALSE(rows.next(row));
}

TEST(Rows, NumberMemoryThatLiesFarOutsideTheLatticeOfTheFile) {
  const Box huge{{-5}, {std::int64_t{1} << 62}};
  const std::vector<Row> rows = all_rows({{8}, whole({8}), {}, huge, {}, whole({8})});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].memory_site, 5u);
}

TEST(Rows, StartAgainAfterRestart) {
  Rows rows(plain_plan({4, 4}, {{1, 1}, {2, 2}}));
  Row row;
  while (rows.next(row)) continue;
  rows.restart();
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.first, Coord({1, 1}));
}

TEST(Rows, AreNoneWhenNothingIsWanted) { EXPECT_TRUE(all_rows(plain_plan({4, 4}, {{0, 0}, {0, 0}})).empty()); }

TEST(Rows, RefuseWhatIsNotStoredOrNotInMemory) {
  const auto refused = [](const RowPlan& plan) { return error_of([&] { Rows rows(plan); }).code(); };
  const Box all = whole({4, 4}), part{{0, 0}, {4, 2}};
  EXPECT_EQ(refused({{4, 4}, part, {}, all, {}, all}), Code::invalid_argument);
  EXPECT_EQ(refused({{4, 4}, all, {}, part, {}, all}), Code::invalid_argument);
  EXPECT_EQ(refused({{4, 2}, all, {}, all, {}, all}), Code::invalid_argument);
  EXPECT_EQ(refused({{4, 4}, all, {0}, all, {}, all}), Code::invalid_argument);
  EXPECT_EQ(refused({{4, 4}, all, {}, all, {0, 2}, all}), Code::invalid_argument);
}

}  // namespace
}  // namespace lq::lattice
