// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which process grids a benchmark tries.
#include "cli/bench.hpp"

#include <set>

#include <gtest/gtest.h>

namespace lq::cli {
namespace {

std::set<std::string> texts(const std::vector<Extents>& grids) {
  std::set<std::string> all;
  for (const Extents& grid : grids) all.insert(to_string(grid));
  return all;
}

TEST(DividingGrids, AreAllThatDivideTheLattice) {
  EXPECT_EQ(texts(dividing_grids({4, 4, 4, 8}, 2)),
            (std::set<std::string>{"2x1x1x1", "1x2x1x1", "1x1x2x1", "1x1x1x2"}));
  EXPECT_EQ(texts(dividing_grids({6, 4, 9}, 6)), (std::set<std::string>{"6x1x1", "2x1x3", "3x2x1", "1x2x3"}));
  // 8 = 2^3 over four dimensions: as many as ways to put three balls into four boxes.
  EXPECT_EQ(dividing_grids({8, 8, 8, 8}, 8).size(), 20u);
}

TEST(DividingGrids, ThereMayBeNone) { EXPECT_TRUE(dividing_grids({4, 4, 4, 8}, 7).empty()); }

}  // namespace
}  // namespace lq::cli
