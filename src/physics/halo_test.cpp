// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cells and neighbours on ranks that are threads: every cell ends up with the number of the site it stands for.
#include "physics/halo.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "lattice/site_order.hpp"
#include "support/thread_comm.hpp"

namespace lq::physics {
namespace {

using testing::run_ranks;

std::uint64_t neighbour_rank(std::uint64_t rank, const Extents& extents, int mu, std::int64_t step) {
  Coord x = lattice::site_of_rank(rank, extents);
  x[mu] = (x[mu] + step + extents[mu]) % extents[mu];
  return lattice::site_rank(x, extents);
}

void expect_neighbours(const Halo& halo, const Extents& extents, Reach reach) {
  for (std::size_t cell = 0; cell < halo.local_cells(); ++cell) {
    for (int mu = 0; mu < extents.size(); ++mu) {
      const auto rank = halo.site_rank(cell);
      ASSERT_EQ(halo.site_rank(halo.up(cell, mu)), neighbour_rank(rank, extents, mu, 1));
      if (reach == Reach::plaquettes) continue;
      const auto below = halo.down(cell, mu);
      ASSERT_EQ(halo.site_rank(below), neighbour_rank(rank, extents, mu, -1));
      for (int nu = 0; nu < extents.size(); ++nu) {
        if (nu == mu) continue;
        ASSERT_EQ(halo.site_rank(halo.up(below, nu)), neighbour_rank(halo.site_rank(below), extents, nu, 1));
        if (reach != Reach::loops) continue;
        const auto above = halo.up(cell, mu), further = halo.up(above, mu);
        ASSERT_EQ(halo.site_rank(halo.down(below, nu)), neighbour_rank(halo.site_rank(below), extents, nu, -1));
        ASSERT_EQ(halo.site_rank(halo.up(above, nu)), neighbour_rank(halo.site_rank(above), extents, nu, 1));
        ASSERT_EQ(halo.site_rank(further), neighbour_rank(halo.site_rank(above), extents, mu, 1));
        ASSERT_EQ(halo.site_rank(halo.up(further, nu)), neighbour_rank(halo.site_rank(further), extents, nu, 1));
      }
    }
  }
}

// One lattice on one process grid: neighbours are right, and refresh fills the copies with their sites.
void expect_halo(int ranks, const Extents& extents, const Extents& processes, Reach reach) {
  run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(comm), extents, {.processes = processes, .idle_ranks = true});
    const Colouring colouring(extents);
    Halo halo(grid, reach, colouring);
    expect_neighbours(halo, extents, reach);
    std::vector<std::uint64_t> cells(halo.cells(), ~std::uint64_t{0});
    std::byte* const array = reinterpret_cast<std::byte*>(cells.data());
    for (std::size_t cell = 0; cell < halo.local_cells(); ++cell) cells[cell] = halo.site_rank(cell);
    for (int colour = 0; colour < colouring.colours(); ++colour) {
      halo.refresh({&array, 1}, sizeof(std::uint64_t), colour);
    }
    for (std::size_t cell = 0; cell < halo.cells(); ++cell) EXPECT_EQ(cells[cell], halo.site_rank(cell));
  });
}

TEST(Halo, OneRankNeedsNoCopies) {
  const Grid grid({4, 3, 2});
  const Halo halo(grid, Reach::staples, Colouring(grid.extents()));
  EXPECT_EQ(halo.cells(), halo.local_cells());
  expect_neighbours(halo, grid.extents(), Reach::staples);
}

TEST(Halo, KnowsNeighboursOnEvenGrids) { expect_halo(4, {4, 4, 4}, {1, 2, 2}, Reach::staples); }
TEST(Halo, KnowsNeighboursOnUnevenGrids) { expect_halo(6, {5, 3, 4}, {3, 2, 1}, Reach::staples); }
TEST(Halo, KnowsNeighboursThatAreTheSameOnBothSides) { expect_halo(4, {2, 2, 3, 2}, {2, 1, 1, 2}, Reach::staples); }
TEST(Halo, KnowsNeighboursWhereRanksHoldNothing) { expect_halo(8, {3, 4}, {4, 1}, Reach::staples); }
TEST(Halo, KnowsForwardNeighboursAlone) { expect_halo(6, {5, 3, 4}, {1, 3, 2}, Reach::plaquettes); }
TEST(Halo, KnowsNeighboursOfLoops) {
  expect_halo(6, {5, 3, 4}, {3, 2, 1}, Reach::loops);
  expect_halo(8, {4, 2, 3, 4}, {2, 1, 1, 4}, Reach::loops);
  expect_halo(4, {1, 2, 4}, {1, 2, 2}, Reach::loops);
}
TEST(Halo, KnowsNeighboursInEightDimensions) {
  expect_halo(4, {2, 2, 2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 2, 1, 1, 2}, Reach::staples);
}

TEST(Halo, RefreshesOneColourOnly) {
  run_ranks(2, [](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(comm), {4, 4}, {.processes = Extents{2, 1}});
    const Colouring colouring(grid.extents());
    Halo halo(grid, Reach::staples, colouring);
    std::vector<std::byte> cells(halo.cells(), std::byte{0});
    std::fill_n(cells.begin(), halo.local_cells(), std::byte{1});
    std::byte* const array = cells.data();
    halo.refresh({&array, 1}, 1, 1);
    for (std::size_t cell = halo.local_cells(); cell < halo.cells(); ++cell) {
      const Coord x = lattice::site_of_rank(halo.site_rank(cell), grid.extents());
      EXPECT_EQ(static_cast<int>(cells[cell]), colouring.colour_of(x));
    }
  });
}

}  // namespace
}  // namespace lq::physics
