// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Chosen process grids.
#include <gtest/gtest.h>

#include <algorithm>

#include <limequat/error.hpp>

#include "lattice/decomposition.hpp"
#include "support/error_of.hpp"

namespace lq::lattice {
namespace {

using testing::error_of;

TEST(ChooseProcesses, KeepsBlocksCubicAndCutsSlowDimensionsFirst) {
  EXPECT_EQ(choose_processes({8, 8, 8, 8}, 1), Extents({1, 1, 1, 1}));
  EXPECT_EQ(choose_processes({8, 8, 8, 8}, 2), Extents({1, 1, 1, 2}));
  EXPECT_EQ(choose_processes({8, 8, 8, 8}, 4), Extents({1, 1, 2, 2}));
  EXPECT_EQ(choose_processes({8, 8, 8, 8}, 16), Extents({2, 2, 2, 2}));
  EXPECT_EQ(choose_processes({48, 48, 48, 96}, 32), Extents({2, 2, 2, 4}));
}

TEST(ChooseProcesses, PrefersDimensionsThatDivide) {
  EXPECT_EQ(choose_processes({6, 8, 8, 16}, 3), Extents({3, 1, 1, 1}));
  EXPECT_EQ(choose_processes({4, 4, 4, 7}, 8), Extents({2, 2, 2, 1}));
}

TEST(ChooseProcesses, UsesAllRanksWhateverTheirNumber) {
  for (const Extents& extents : {Extents{1}, {2, 2}, {4, 4, 4, 8}, {3, 5, 7, 11, 13}, {1, 1, 1, 1, 1, 1, 1, 1}}) {
    for (const std::int64_t ranks : {1, 2, 3, 6, 7, 64, 97, 1000, 65536, 99991, 720720, 1000000}) {
      EXPECT_EQ(volume(choose_processes(extents, ranks)), static_cast<std::uint64_t>(ranks));
    }
  }
}

// Independent check: whenever the extents allow an even split, the chosen grid is even.
TEST(ChooseProcesses, SplitsPowersOfTwoEvenly) {
  const Extents extents{16, 16, 32, 64};
  for (std::int64_t ranks = 1; ranks <= 1 << 19; ranks *= 2) {
    const Extents processes = choose_processes(extents, ranks);
    for (int d = 0; d < 4; ++d) EXPECT_EQ(extents[d] % processes[d], 0) << to_string(processes);
    const Decomposition decomposition(extents, processes);
    const Extents block = decomposition.box_of(0).extents;
    EXPECT_LE(*std::max_element(block.begin(), block.end()), 4 * *std::min_element(block.begin(), block.end()));
  }
}

TEST(ChooseProcesses, RefusesNoRanksAndNoLattice) {
  EXPECT_EQ(error_of([] { choose_processes({4, 4}, 0); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([] { choose_processes({4, -4}, 2); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([] { choose_processes({}, 2); }).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace lq::lattice
