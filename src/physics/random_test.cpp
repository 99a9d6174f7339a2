// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Philox4x32-10 against the known answers of its authors (kat_vectors of Random123), and what Random makes of it.
#include "physics/random.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace lq::physics {
namespace {

using Block = std::array<std::uint32_t, 4>;

TEST(Philox, GivesTheKnownAnswerForZeros) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(Philox, GivesTheKnownAnswerForOnes) {
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Philox, GivesTheKnownAnswerForDigitsOfPi) {
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, IsDifferentForEveryPurpose) {
  const std::uint64_t far = std::uint64_t{1} << 40;
  const Draws purposes[] = {{1, 2, 3, 1, 1}, {2, 2, 3, 1, 1},       {1, 3, 3, 1, 1},      {1, 2, 4, 1, 1},
                            {1, 2, 3, 2, 1}, {1, 2, 3, 1, 2},       {1, 2, 3, 2, 2},      {1, 2, 3, 7, 3},
                            {1, 2, 3, 0, 0}, {1 + far, 2, 3, 1, 1}, {1, 2, 3 + far, 1, 1}};
  std::set<double> seen;
  for (const Draws& purpose : purposes) {
    Random random(purpose);
    for (int draw = 0; draw < 100; ++draw) {
      for (const double number : random.pair()) EXPECT_TRUE(seen.insert(number).second);
    }
  }
  EXPECT_EQ(seen.size(), std::size(purposes) * 200);
}

TEST(Random, RepeatsItself) {
  Random first({7, 8, 9, 1, 2}), second({7, 8, 9, 1, 2});
  for (int draw = 0; draw < 10; ++draw) EXPECT_EQ(first.pair(), second.pair());
}

TEST(Random, IsUniformBetweenZeroAndOne) {
  Random random({.seed = 5});
  constexpr int draws = 50000;
  double mean = 0, square = 0, product = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const auto [a, b] = random.pair();
    ASSERT_TRUE(a > 0 && a < 1 && b > 0 && b < 1);
    mean += a / draws;
    square += b * b / draws;
    product += a * b / draws;
  }
  // Five standard deviations each.
  EXPECT_NEAR(mean, 1 / 2.0, 0.0065);
  EXPECT_NEAR(square, 1 / 3.0, 0.0067);
  EXPECT_NEAR(product, 1 / 4.0, 0.0050);
}

TEST(Logarithm, AgreesWithTheOneOfTheSystem) {
  EXPECT_EQ(logarithm(1), 0);
  for (double x = 1e-16; x < 1e3; x *= 1.01)
    EXPECT_NEAR(logarithm(x), std::log(x), 1e-15 * std::max(0.1, std::abs(std::log(x))));
}

}  // namespace
}  // namespace lq::physics
