// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/site_batches.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lq::engine {
namespace {

const Extents lattice{4, 2, 4, 8};

Payload payload_of_lattice() {
  Payload payload;
  payload.extents = lattice;
  payload.stored = whole(lattice);
  return payload;
}

lattice::RowPlan plan_of(const Box& memory, const Box& wanted) {
  return {lattice, whole(lattice), {}, memory, {}, wanted};
}

// The first site of each batch, in turn; every site that is wanted is counted.
std::vector<std::uint64_t> firsts(const lattice::RowPlan& plan, const char* words, std::uint64_t max_sites,
                                  std::vector<int>& seen) {
  SiteBatches batches(rows_by_lane(memory_layout(words), payload_of_lattice(), plan, max_sites), max_sites);
  std::vector<std::uint64_t> sites;
  seen.assign(static_cast<std::size_t>(volume(lattice)), 0);
  for (SiteBatch batch; batches.next(batch);) {
    sites.push_back(batch.file_site);
    for (std::uint64_t k = 0; k < batch.sites; ++k) ++seen[static_cast<std::size_t>(batch.file_site + k)];
  }
  return sites;
}

TEST(Lanes, TakeTurns) {
  std::vector<int> seen;
  // Half a lattice apart; each is a row of 128 sites, in batches of 32.
  const auto plan = plan_of(whole(lattice), whole(lattice));
  EXPECT_EQ(firsts(plan, "lanes=1,1,1,2", 64, seen), (std::vector<std::uint64_t>{0, 128, 32, 160, 64, 192, 96, 224}));
  EXPECT_EQ(seen, std::vector<int>(256, 1));
  // Lanes of z, and of t: 16 sites lie together, then those of the other lane of z.
  const auto four = firsts(plan, "lanes=1,1,2,2", 64, seen);
  EXPECT_EQ(std::vector<std::uint64_t>(four.begin(), four.begin() + 8),
            (std::vector<std::uint64_t>{0, 16, 128, 144, 32, 48, 160, 176}));
  EXPECT_EQ(seen, std::vector<int>(256, 1));
}

TEST(Lanes, AreThoseOfMemory) {
  std::vector<int> seen;
  const auto plan = plan_of(whole(lattice), whole(lattice));
  const auto four = firsts(plan, "order=3,2,1,0 lanes=1,1,2,2", 64, seen);
  EXPECT_EQ(std::vector<std::uint64_t>(four.begin(), four.begin() + 4), (std::vector<std::uint64_t>{0, 128, 16, 144}));
}

// In the block, the sites of a batch come after those of the one before.
TEST(Lanes, GoAtOnceWhereTheirRowsAreAlike) {
  const auto steps_of = [](const Box& wanted, bool at_once, std::uint64_t max_sites = 64) {
    const auto plan = plan_of(whole(lattice), wanted);
    SiteBatches batches(rows_by_lane(memory_layout("lanes=1,1,1,2"), payload_of_lattice(), plan, max_sites), max_sites);
    std::vector<SiteBatch> room(batches.sequences());
    // Sites before; the first site of each piece; how far apart they are.
    std::vector<std::vector<std::uint64_t>> steps;
    for_each_piece_group(batches.next(room), at_once, [&](const PieceGroup& pieces, std::uint64_t skip) {
      std::vector<std::uint64_t>& step = steps.emplace_back(1, skip);
      for (std::size_t i = 0; i < pieces.count; ++i) step.push_back(pieces[i].file_site());
      if (pieces.count > 1) step.push_back(pieces.apart);
    });
    return steps;
  };
  using Steps = std::vector<std::vector<std::uint64_t>>;
  EXPECT_EQ(steps_of(whole(lattice), true), (Steps{{0, 0, 128, 32}}));
  EXPECT_EQ(steps_of(whole(lattice), false), (Steps{{0, 0}, {32, 128}}));
  // As many sites of the last slice of the lower half as of the first of the upper; then of two slices and one.
  EXPECT_EQ(steps_of({{0, 0, 0, 3}, {4, 2, 3, 2}}, true), (Steps{{0, 96, 128, 24}}));
  EXPECT_EQ(steps_of({{0, 0, 0, 2}, {4, 2, 4, 3}}, true, 128), (Steps{{0, 64}, {64, 128}}));
}

TEST(Lanes, OfWhichAFewSitesLieTogetherInTheFileOrInABlockDoNot) {
  std::vector<int> seen;
  const auto plan = plan_of(whole(lattice), whole(lattice));
  EXPECT_EQ(firsts(plan, "lanes=2,1,1,1", 64, seen), (std::vector<std::uint64_t>{0, 64, 128, 192}));
  EXPECT_EQ(firsts(plan, "lanes=1,1,1,2", 1, seen).size(), 256U);
  EXPECT_EQ(firsts(plan, "lanes=1,1,1,2", 1, seen)[1], 1U);  // a block holds the sites of both or of none
  EXPECT_EQ(firsts(plan, "milc", 64, seen), (std::vector<std::uint64_t>{0, 64, 128, 192}));
}

TEST(Lanes, OfARanksBoxTakeTurnsAsFarAsTheyAreWanted) {
  std::vector<int> seen;
  const Box mine{{0, 0, 0, 4}, {4, 2, 4, 4}}, wanted{{0, 0, 0, 5}, {4, 2, 4, 3}};
  EXPECT_EQ(firsts(plan_of(mine, wanted), "lanes=1,1,1,2", 64, seen), (std::vector<std::uint64_t>{160, 192, 224}));
  for (std::size_t site = 0; site < seen.size(); ++site) EXPECT_EQ(seen[site], site < 160 ? 0 : 1) << site;
}

}  // namespace
}  // namespace lq::engine
