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

// The rank at each place, found from the boxes that the ranks have.
std::vector<int> ranks_by_boxes(const Grid& grid) {
  std::vector<std::uint64_t> ranks(volume(grid.processes()));
  const std::vector<Coord> places = testing::sites_of(whole(grid.processes()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    Coord lower = places[i];
    for (int d = 0; d < lower.size(); ++d) lower[d] *= grid.extents()[d] / grid.processes()[d];
    if (grid.local_box().contains(lower)) ranks[i] = static_cast<std::uint64_t>(grid.rank());
  }
  grid.communicator().engine().all_reduce(ranks, comm::Reduce::sum);
  return {ranks.begin(), ranks.end()};
}

const Extents four_ways{2, 1, 2};

TEST(Grid, PutsRanksWhereATableOrTheirOwnCoordinatesSay) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    RandomGeometry random(seed);
    const int size = 4 + static_cast<int>(random.between(0, 3));
    std::vector<int> ranks = random.permutation(size);
    ranks.resize(4);
    const std::vector<Coord> places = testing::sites_of(whole(four_ways));
    testing::run_ranks(size, [&](Handle comm) {
      Options table = on(four_ways, size > 4), own = table;
      table.ranks = ranks;
      const auto mine = std::ranges::find(ranks, comm->rank());
      if (mine != ranks.end()) own.coordinates = places[static_cast<std::size_t>(mine - ranks.begin())];
      if (seed % 2 == 0 && mine == ranks.end()) table.holds_sites = own.holds_sites = false;
      for (const Options& options : {table, own}) {
        Grid grid(Communicator(comm), {4, 3, 6}, options);
        ASSERT_EQ(ranks_by_boxes(grid), ranks) << "seed " << seed;
        ASSERT_EQ(times_held(grid), std::vector<std::uint64_t>(grid.volume(), 1));
        ASSERT_EQ(grid.local_volume() == 0, mine == ranks.end());
      }
    });
  }
}

std::string table_error(std::vector<int> ranks, const std::function<void(int rank, Options&)>& more = {}) {
  const Error error = grid_error(5, [&](const Communicator& communicator) {
    Options options = on(four_ways, true);
    options.ranks = ranks;
    if (more) more(communicator.rank(), options);
    return Grid(communicator, {4, 3, 6}, options);
  });
  EXPECT_EQ(error.code(), Code::invalid_argument);
  return error.what();
}

TEST(Grid, RefusesATableThatPutsNoOrTwoRanksAtAPlace) {
  EXPECT_EQ(table_error({0, 1, 2}),
            "ranks has 3 numbers for the 4 places of process grid 2x1x2; give the rank at each place");
  EXPECT_EQ(table_error({0, 1, 5, 3}),
            "ranks: rank 5, at place 0,0,1 of process grid 2x1x2, does not exist; the ranks are 0 to 4");
  EXPECT_EQ(table_error({0, -1, 2, 3}),
            "ranks: rank -1, at place 1,0,0 of process grid 2x1x2, does not exist; the ranks are 0 to 4");
  EXPECT_EQ(table_error({0, 4, 2, 4}),
            "rank 4 is at two places of process grid 2x1x2, 1,0,0 and 1,0,1; give each place a rank of its own");
  EXPECT_EQ(table_error({0, 1, 2, 3}, [](int rank, Options& options) { options.holds_sites = rank != 2; }),
            "ranks: rank 2, at place 0,0,1 of process grid 2x1x2, passes holds_sites = false; name another rank");
  EXPECT_EQ(table_error({0, 1, 2, 3},
                        [](int, Options& options) {
                          options.rank_order = {2, 1, 0};
                        }),
            "ranks and rank_order are both given; leave one of them out");
  EXPECT_EQ(table_error({0, 1, 2, 3, 4}, [](int, Options& options) { options.processes.reset(); }),
            "ranks is given, but processes is missing; give the process grid");
  EXPECT_EQ(table_error({0, 1, 2, 3}, [](int, Options& options) { options.idle_ranks = false; }),
            "process grid 2x1x2 needs 4 ranks, the communicator has 5; start 4 ranks, leave the process grid to be "
            "chosen, or let the others hold no sites (options.idle_ranks = true)");
}

std::string own_error(const std::function<void(int rank, Options&)>& give) {
  const Error error = grid_error(4, [&](const Communicator& communicator) {
    Options options = on(four_ways);
    options.coordinates = testing::sites_of(whole(four_ways))[static_cast<std::size_t>(communicator.rank())];
    give(communicator.rank(), options);
    return Grid(communicator, {4, 3, 6}, options);
  });
  EXPECT_EQ(error.code(), Code::invalid_argument);
  return error.what();
}

TEST(Grid, RefusesCoordinatesThatPutNoOrTwoRanksAtAPlace) {
  const auto third = [](auto change) {
    return own_error([&](int rank, Options& options) {
      if (rank == 2) change(options);
    });
  };
  EXPECT_EQ(third([](Options& options) {
              options.coordinates = Coord{1, 0, 0};
            }),
            "ranks 1 and 2 have the same coordinates, 1,0,0; give each rank a different place");
  EXPECT_EQ(third([](Options& options) { options.coordinates.reset(); }),
            "no rank has the coordinates 0,0,1 of process grid 2x1x2; give one rank for each place");
  const std::string outside = " in process grid 2x1x2, counted from 0 (rank 2)";
  for (const Coord& x : {Coord{0, 1, 0}, Coord{0, 0, -1}, Coord{0, 0}}) {
    EXPECT_EQ(third([&](Options& options) { options.coordinates = x; }),
              "coordinates are " + site_text(x) + "; expected coordinates" + outside);
  }
  EXPECT_EQ(third([](Options& options) { options.holds_sites = false; }),
            "coordinates are 0,0,1, but holds_sites is false; leave one of them out (rank 2)");
  EXPECT_EQ(own_error([](int, Options& options) {
              options.rank_order = {2, 1, 0};
            }),
            "coordinates and rank_order are both given; leave one of them out (rank 0)");
  EXPECT_EQ(own_error([](int, Options& options) {
              options.ranks = {0, 1, 2, 3};
            }),
            "coordinates and ranks are both given; leave one of them out (rank 0)");
  EXPECT_EQ(own_error([](int, Options& options) { options.processes.reset(); }),
            "coordinates are 0,0,0, but processes is missing; give the process grid (rank 0)");
  EXPECT_EQ(own_error([](int, Options& options) {
              options.processes = Extents{2, 1, 3};
            }),
            "process grid 2x1x3 needs 6 ranks, the communicator has 4; start 6 ranks, or leave the process grid to be "
            "chosen");
}

TEST(Grid, NamesThePieceOfATableThatDiffersBetweenRanks) {
  std::vector<int> ranks = RandomGeometry(3).permutation(40);
  const Error error = grid_error(40, [&](const Communicator& communicator) {
    Options options = on({10, 4});
    options.ranks = ranks;
    if (communicator.rank() == 7) std::swap(options.ranks[33], options.ranks[35]);
    return Grid(communicator, {10, 4}, options);
  });
  EXPECT_EQ(error.code(), Code::ranks_disagree);
  EXPECT_EQ(error.facts().rank, 7);
  EXPECT_EQ(std::string(error.what()).find("ranks from number 32 on differs between ranks: rank 7 has"), 0U)
      << error.what();
  const Error shorter = grid_error(2, [&](const Communicator& communicator) {
    Options options = on({2, 1});
    options.ranks.assign(communicator.rank() == 0 ? 2 : 50, 0);
    return Grid(communicator, {10, 4}, options);
  });
  EXPECT_EQ(shorter.code(), Code::ranks_disagree);
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
