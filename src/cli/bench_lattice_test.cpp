// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which process grids a benchmark tries.
#include "cli/bench_lattice.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "cli/bench_peak.hpp"

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

TEST(BenchField, IsComparedBitForBit) {
  BenchField field(Grid({2, 2, 2, 2}));
  std::copy(field.source().begin(), field.source().end(), field.target().begin());
  EXPECT_TRUE(field.target_is_source(field.source().size_bytes()));
  field.target().back() = -field.target().back();
  EXPECT_FALSE(field.target_is_source(field.source().size_bytes()));
  field.clear_target();
  EXPECT_EQ(std::count(field.target().begin(), field.target().end(), 0.0), 16 * 72);
}

TEST(BenchField, SurvivesSinglePrecision) {
  const BenchField field(Grid({2, 2, 2, 4}));
  for (const double number : field.source()) {
    const volatile auto single = static_cast<float>(number);
    ASSERT_EQ(static_cast<double>(single), number);
  }
}

TEST(MemoryPeak, SeesWhatWasThereForAMomentOnly) {
  constexpr std::size_t size = std::size_t{64} << 20;
  const MemoryPeak quiet;
  const auto nothing = quiet.bytes();
  if (!nothing) GTEST_SKIP() << "this system does not tell";
  const MemoryPeak peak;
  { PageVector<char> moment(size, 'x'); }
  EXPECT_GE(*peak.bytes(), size / 10 * 9);
  EXPECT_LE(*peak.bytes(), size / 2 * 3);  // sanitizers keep books of their own beside it
  EXPECT_LE(*nothing, size / 10);
}

}  // namespace
}  // namespace lq::cli
