// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The lattice over ranks: who holds what, and what is refused, on all ranks alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include <limequat/error.hpp>
#include <limequat/grid.hpp>

#include "comm/comm.hpp"
#include "lattice/decomposition.hpp"
#include "lattice/site_order.hpp"
#include "support/error_of.hpp"
#include "support/random_geometry.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::error_of;
using testing::RandomGeometry;
using Handle = std::shared_ptr<comm::Comm>;
using Options = GridOptions;

// The error that all of n ranks throw alike when each builds a grid with its own arguments.
Error grid_error(int n, const std::function<Grid(const Communicator& communicator)>& build) {
  std::vector<Error> errors;
  for (const auto& left : testing::outcomes_of_ranks(n, [&](Handle comm) { build(Communicator(comm)); })) {
    errors.push_back(error_of([&] {
      if (left) std::rethrow_exception(left);
    }));
    EXPECT_EQ(errors.back().code(), errors.front().code());
    EXPECT_STREQ(errors.back().what(), errors.front().what());
  }
  return errors.front();
}

Error grid_error(int n, const Extents& extents, const Options& options) {
  return grid_error(n, [&](const Communicator& communicator) { return Grid(communicator, extents, options); });
}

Options on(const Extents& processes, bool idle_ranks = false) {
  Options options;
  options.processes = processes;
  options.idle_ranks = idle_ranks;
  return options;
}

// How often each site is held over all ranks.
std::vector<std::uint64_t> times_held(Grid& grid) {
  std::vector<std::uint64_t> held(grid.volume());
  if (grid.local_volume() > 0) {
    for (const Coord& x : testing::sites_of(grid.local_box())) ++held[lattice::site_rank(x, grid.extents())];
  }
  grid.communicator().engine().all_reduce(held, comm::Reduce::sum);
  return held;
}

TEST(Grid, OnThisProcessHoldsTheWholeLattice) {
  const Grid grid({4, 4, 4, 8});
  EXPECT_EQ(grid.local_box(), whole({4, 4, 4, 8}));
  EXPECT_EQ(grid.processes(), Extents({1, 1, 1, 1}));
  EXPECT_EQ(grid.volume(), 512u);
  EXPECT_TRUE(grid.is_root());
  EXPECT_EQ(grid.size(), 1);
}

TEST(Grid, HoldsEverySiteOnceWhoeverHoldsNothing) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    RandomGeometry random(seed);
    const Extents extents = random.extents(5, 500);
    const int ranks = static_cast<int>(random.between(1, 7));
    const std::int64_t holders = random.between(1, ranks);  // ranks 0, 2, 4 ... hold first
    Options options;
    options.rank_order = random.order(extents.size());
    testing::run_ranks(ranks, [&](Handle comm) {
      Options mine = options;
      mine.holds_sites = (comm->rank() * 2 % ranks) < holders;
      Grid grid(Communicator(comm), extents, mine);
      ASSERT_EQ(times_held(grid), std::vector<std::uint64_t>(grid.volume(), 1)) << "seed " << seed;
      ASSERT_TRUE(mine.holds_sites || grid.local_volume() == 0);
    });
  }
}

TEST(Grid, TakesTheProcessGridGiven) {
  testing::run_ranks(4, [](Handle comm) {
    const Grid grid(Communicator(comm), {4, 4, 4, 8}, on({2, 1, 1, 2}));
    EXPECT_EQ(grid.processes(), Extents({2, 1, 1, 2}));
    EXPECT_EQ(grid.local_box().lower, Coord({2 * (comm->rank() % 2), 0, 0, 4 * (comm->rank() / 2)}));
  });
}

TEST(Grid, LeavesSurplusRanksIdleWhenAllowed) {
  testing::run_ranks(3, [](Handle comm) {
    const Grid grid(Communicator(comm), {4, 4}, on({1, 2}, true));
    EXPECT_EQ(grid.local_volume(), comm->rank() < 2 ? 8u : 0u);
  });
}

TEST(Grid, LeavesSurplusHoldersIdleWhenAllowed) {
  testing::run_ranks(4, [](Handle comm) {
    Options options = on({1, 2}, true);
    options.holds_sites = comm->rank() != 0;
    const Grid grid(Communicator(comm), {4, 4}, options);
    EXPECT_EQ(grid.local_volume(), comm->rank() == 1 || comm->rank() == 2 ? 8u : 0u);
  });
}

TEST(Grid, RefusesMoreRanksThanThereAreAndNamesTheRemedy) {
  const Error error = grid_error(3, {4, 4, 4, 8}, on({1, 1, 2, 2}));
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_STREQ(
      error.what(),
      "process grid 1x1x2x2 needs 4 ranks, the communicator has 3; start 4 ranks, or leave the process grid to "
      "be chosen");
  EXPECT_EQ(error.facts().expected, "4 ranks");
  EXPECT_EQ(error.facts().found, "3 ranks");
}

TEST(Grid, RefusesSurplusRanksUnlessAllowed) {
  const Error error = grid_error(3, {4, 4}, on({1, 2}));
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_NE(std::string(error.what()).find("idle_ranks"), std::string::npos);
}

TEST(Grid, RefusesImpossibleArgumentsOnAllRanks) {
  EXPECT_EQ(grid_error(2, {4, 0}, {}).code(), Code::invalid_argument);
  EXPECT_EQ(grid_error(2, {}, {}).code(), Code::invalid_argument);
  EXPECT_EQ(grid_error(2, {4, 4}, on({1, 1, 2})).code(), Code::invalid_argument);
  EXPECT_EQ(grid_error(2, {4, 4}, on({1, 0})).code(), Code::invalid_argument);
  EXPECT_EQ(grid_error(2, {1ll << 40, 1ll << 40}, {}).code(), Code::too_large);
  Options options;
  options.rank_order = {1, 1};
  EXPECT_EQ(grid_error(2, {4, 4}, options).code(), Code::invalid_argument);
}

TEST(Grid, RefusesWhenNoRankHoldsSites) {
  Options options;
  options.holds_sites = false;
  EXPECT_EQ(grid_error(3, {4, 4}, options).code(), Code::invalid_argument);
}

TEST(Grid, NoticesArgumentsThatDifferBetweenRanks) {
  const Error extents = grid_error(3, [](const Communicator& communicator) {
    return Grid(communicator, {4, communicator.rank() == 2 ? 8 : 4});
  });
  EXPECT_EQ(extents.code(), Code::ranks_disagree);
  EXPECT_EQ(extents.facts().rank, 2);
  const Error processes = grid_error(2, [](const Communicator& communicator) {
    return Grid(communicator, {4, 4}, communicator.rank() == 0 ? on({1, 2}) : on({2, 1}));
  });
  EXPECT_EQ(processes.code(), Code::ranks_disagree);
}

TEST(Communicator, TellsAllRanksTheLargestNumber) {
  testing::run_ranks(4, [](Handle comm) {
    const Communicator communicator(comm);
    EXPECT_EQ(communicator.max(comm->rank() == 2 ? 0.5 : -1.0 * comm->rank()), 0.5);
    EXPECT_EQ(communicator.max(-1.0 - comm->rank()), -1.0);
  });
}

TEST(Communicator, LetsNobodyPassABarrierBeforeAllHaveCome) {
  std::atomic<int> come = 0;
  testing::run_ranks(4, [&](Handle comm) {
    ++come;
    Communicator(comm).barrier();
    EXPECT_EQ(come, 4);
  });
}

TEST(Communicator, RefusesToBeWithoutEngine) {
  EXPECT_EQ(error_of([] { Communicator(std::shared_ptr<comm::Comm>()); }).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace lq
