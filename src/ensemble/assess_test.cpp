// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/ensemble.hpp"

#include <gtest/gtest.h>

namespace lq::ensemble {
namespace {

TEST(TrajectoryGaps, AreAtTheStepThatMostHave) {
  const auto gaps = gaps_in({100, 10, 20, 30, 60, 70, 70, 80});
  ASSERT_TRUE(gaps);
  EXPECT_EQ(gaps->first, 10);
  EXPECT_EQ(gaps->last, 100);
  EXPECT_EQ(gaps->step, 10);
  EXPECT_EQ(gaps->count, 3U);
  EXPECT_EQ(gaps->missing, (std::vector<std::int64_t>{40, 50, 90}));
}

TEST(TrajectoryGaps, AreNoneInWholeOrShortSeries) {
  EXPECT_FALSE(gaps_in({5, 10, 15, 20}));
  EXPECT_FALSE(gaps_in({1, 100}));
  EXPECT_FALSE(gaps_in({7, 7, 7}));
  EXPECT_FALSE(gaps_in({}));
}

TEST(TrajectoryGaps, AreNoneWhereTheStepChanges) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t t = 0; t <= 100; t += 10) numbers.push_back(t);
  for (std::int64_t t = 120; t <= 220; t += 20) numbers.push_back(t);
  EXPECT_FALSE(gaps_in(numbers));
  std::erase(numbers, 50);
  std::erase(numbers, 180);
  const auto gaps = gaps_in(numbers);
  ASSERT_TRUE(gaps);
  EXPECT_EQ(gaps->missing.front(), 50);
}

// Of a number typed wrong: counted, but not all listed.
TEST(TrajectoryGaps, OfAnyLengthTakeBoundedMemory) {
  const auto gaps = gaps_in({1, 2, 3, INT64_MAX});
  ASSERT_TRUE(gaps);
  EXPECT_EQ(gaps->count, static_cast<std::uint64_t>(INT64_MAX) - 4);
  EXPECT_EQ(gaps->missing.size(), 1000U);
}

TEST(PlaquetteOutliers, AreFarFromTheMedianOfEnough) {
  std::vector<double> numbers;
  for (int k = 0; k < 20; ++k) numbers.push_back(0.59 + 1e-4 * (k % 5));
  numbers.push_back(0.61);
  EXPECT_EQ(outliers_of(numbers), (std::vector<std::size_t>{20}));
  EXPECT_NEAR(spread_of(numbers).median, 0.5902, 1e-12);
  numbers.resize(7);
  numbers.front() = 0.7;
  EXPECT_TRUE(outliers_of(numbers).empty());
}

TEST(PlaquetteOutliers, AreNotWhatRoundingMakes) {
  std::vector<double> numbers(20, 0.5);
  numbers.back() += 1e-12;
  EXPECT_TRUE(outliers_of(numbers).empty());
  numbers.back() += 1e-4;
  EXPECT_EQ(outliers_of(numbers), (std::vector<std::size_t>{19}));
}

// median 3, distances 2 1 0 1 97: their median is 1.
TEST(PlaquetteSpread, IsAMedianOfDistances) {
  const Spread spread = spread_of({1, 2, 3, 4, 100});
  EXPECT_EQ(spread.median, 3);
  EXPECT_NEAR(spread.deviation, 1.4826, 1e-4);
  EXPECT_EQ(spread_of({4, 1, 3, 2}).median, 2.5);
}

}  // namespace
}  // namespace lq::ensemble
