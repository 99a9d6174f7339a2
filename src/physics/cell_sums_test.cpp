// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/cell_sums.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <complex>
#include <cstddef>
#include <thread>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/interrupt.hpp>
#include <limequat/physics.hpp>

#include "base/resize_interruptibly.hpp"

namespace lq::physics {
namespace {

TEST(Cells, AreAllSharedOutInOrder) {
  constexpr std::size_t cells = 100'001;
  comm::Team team(3);
  std::vector<int> seen(cells);
  share_cells(cells, team, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t cell = begin; cell < end; ++cell) ++seen[cell];
  });
  EXPECT_EQ(seen, std::vector<int>(cells, 1));
}

// Of 65536 ranges, each of a millisecond.
TEST(Cells, AreLeftByAnInterruptedCall) {
  const Interruptible interrupted([]() noexcept { return true; });
  comm::Team team(2);
  std::atomic<std::size_t> ranges = 0;
  EXPECT_THROW(share_cells(std::size_t{1} << 24, team,
                           [&](int, std::size_t, std::size_t) {
                             ++ranges;
                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                           }),
               Error);
  EXPECT_LT(ranges, std::size_t{10'000});
}

TEST(Cells, WaitForNoMemoryOfAnInterruptedCall) {
  const Interruptible interrupted([]() noexcept { return true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::vector<double> numbers;
  EXPECT_THROW(base::resize_interruptibly(numbers, std::size_t{1} << 26), Error);
  EXPECT_TRUE(numbers.empty());
}

// Before the first sweep: memory, neighbours and the start take seconds for a large lattice.
TEST(Cells, OfAnInterruptedGeneratorAreNotEvenStarted) {
  const Grid grid({8, 8, 8, 8});
  std::vector<std::complex<double>> links(grid.local_volume() * 4 * 9);
  const Interruptible interrupted([]() noexcept { return true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_THROW(generate(grid, gauge(links), {.sweeps = 0, .hot_start = true}), Error);
}

}  // namespace
}  // namespace lq::physics
