// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites of other ranks: every wanted site arrives, whoever wants it.
#include "lattice/site_exchange.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include <limequat/error.hpp>

#include "lattice/decomposition.hpp"
#include "lattice/site_order.hpp"
#include "support/error_of.hpp"
#include "support/random_geometry.hpp"
#include "support/thread_comm.hpp"

namespace lq::lattice {
namespace {

using testing::error_of;
using testing::RandomGeometry;
using Handle = std::shared_ptr<comm::Comm>;

// A site is its rank in the lattice plus a salt, repeated `words` times.
std::vector<std::uint64_t> local_sites(const Grid& grid, std::size_t words, std::uint64_t salt) {
  std::vector<std::uint64_t> sites;
  if (grid.local_volume() == 0) return sites;
  for (const Coord& x : testing::sites_of(grid.local_box())) {
    sites.insert(sites.end(), words, lattice::site_rank(x, grid.extents()) + salt);
  }
  return sites;
}

void expect_arrival(const Grid& grid, const SiteExchange& sites, const std::vector<Coord>& wanted, std::size_t words,
                    std::uint64_t salt) {
  const std::vector<std::uint64_t> mine = local_sites(grid, words, salt);
  std::vector<std::uint64_t> out(wanted.size() * words), expected;
  sites.exchange(reinterpret_cast<const std::byte*>(mine.data()), words * 8, reinterpret_cast<std::byte*>(out.data()));
  for (const Coord& x : wanted) expected.insert(expected.end(), words, lattice::site_rank(x, grid.extents()) + salt);
  ASSERT_EQ(out, expected);
}

std::vector<Coord> random_wishes(std::uint32_t seed, const Extents& extents) {
  RandomGeometry random(seed);
  std::vector<Coord> wanted;
  for (std::int64_t i = random.between(0, 60); i-- > 0;) {
    Coord x = extents;
    for (int d = 0; d < x.size(); ++d) x[d] = random.between(0, extents[d] - 1);
    wanted.push_back(x);
  }
  return wanted;
}

TEST(SiteExchange, DeliversWhateverEachRankWants) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    RandomGeometry random(seed);
    const Extents extents = random.extents(6, 1000);
    testing::run_ranks(static_cast<int>(random.between(1, 8)), [&](Handle comm) {
      GridOptions options;
      options.processes = choose_processes(extents, comm->size());
      if (seed % 2 == 1) options.ranks = RandomGeometry(seed).permutation(comm->size());
      const Grid grid(Communicator(comm), extents, options);
      const auto wanted = random_wishes(seed * 100 + static_cast<std::uint32_t>(comm->rank()), extents);
      const SiteExchange sites(grid, wanted);
      expect_arrival(grid, sites, wanted, 1, 0);
      expect_arrival(grid, sites, wanted, 5, 1000);  // again, with other sites of another size
    });
  }
}

TEST(SiteExchange, DeliversToRanksThatHoldNothing) {
  testing::run_ranks(3, [](Handle comm) {
    GridOptions options;
    options.holds_sites = comm->rank() == 1;
    const Grid grid(Communicator(comm), {3, 4}, options);
    const std::vector<Coord> wanted = testing::sites_of(whole({3, 4}));
    expect_arrival(grid, SiteExchange(grid, wanted), wanted, 2, 7);
  });
}

TEST(SiteExchange, RefusesSitesOutsideTheLatticeOnAllRanks) {
  const auto outcomes = testing::outcomes_of_ranks(3, [](Handle comm) {
    const Grid grid(Communicator(comm), {4, 4});
    const std::vector<Coord> wanted{{0, comm->rank() == 1 ? 4 : 3}};
    SiteExchange sites(grid, wanted);
  });
  for (const std::exception_ptr& left : outcomes) {
    ASSERT_NE(left, nullptr);
    const Error error = error_of([&] { std::rethrow_exception(left); });
    EXPECT_EQ(error.code(), Code::invalid_argument);
    EXPECT_EQ(error.facts().rank, 1);
  }
}

}  // namespace
}  // namespace lq::lattice
