// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exact sums: independent of the order and of the ranks, to the last bit.
#include "base/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/every_number.hpp"

namespace lq::base {
namespace {

using Words = std::array<std::uint64_t, ExactSum::word_count>;

std::vector<double> noise(std::size_t count) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> number(-3, 3);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = number(random);
  return numbers;
}

ExactSum sum_of(const std::vector<double>& terms, std::size_t first, std::size_t stride) {
  ExactSum sum;
  for (std::size_t i = first; i < terms.size(); i += stride) sum.add(terms[i]);
  return sum;
}

Words times(Words words, std::uint64_t ranks) {
  for (std::uint64_t& word : words) word *= ranks;
  return words;
}

std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }

TEST(ExactSum, IsZeroAtFirst) { EXPECT_EQ(ExactSum().value(), 0.0); }

TEST(ExactSum, AddsMultiplesOfItsGridExactly) {
  std::int64_t expected = 0;
  ExactSum sum;
  for (std::int64_t k = -1000; k < 3000; ++k) {
    sum.add(static_cast<double>(k * 1234567) * 0x1p-40);
    expected += k * 1234567;
  }
  EXPECT_EQ(sum.value(), static_cast<double>(expected) * 0x1p-40);
}

TEST(ExactSum, CancelsExactly) {
  ExactSum sum;
  sum.add(4e6);
  sum.add(0x1p-40);
  sum.add(-4e6);
  EXPECT_EQ(sum.value(), 0x1p-40);
}

TEST(ExactSum, DoesNotDependOnTheOrder) {
  std::vector<double> terms = noise(10000);
  const double forward = sum_of(terms, 0, 1).value();
  std::shuffle(terms.begin(), terms.end(), std::mt19937(2));
  EXPECT_EQ(bits(sum_of(terms, 0, 1).value()), bits(forward));
}

TEST(ExactSum, IsCloseToThePlainSum) {
  const std::vector<double> terms = noise(10000);
  long double plain = 0;
  for (const double term : terms) plain += term;
  EXPECT_NEAR(sum_of(terms, 0, 1).value(), static_cast<double>(plain), 10000 * 0x1p-41);
}

TEST(ExactSum, AddsOtherSums) {
  const std::vector<double> terms = noise(1001);
  ExactSum sum = sum_of(terms, 0, 2);
  sum.add(sum_of(terms, 1, 2));
  EXPECT_EQ(bits(sum.value()), bits(sum_of(terms, 0, 1).value()));
}

TEST(ExactSum, IsTheSameForAnyNumberOfRanks) {
  std::vector<double> terms = noise(1000);
  for (double& term : terms) term -= 2;  // a negative total, and ranks of both signs
  const double whole = sum_of(terms, 0, 1).value();
  ASSERT_LT(whole, 0);
  for (const std::size_t ranks : {1u, 2u, 3u, 8u, 1000u, 1500u}) {
    Words total{};
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const Words words = sum_of(terms, rank, ranks).words();
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += words[i];
    }
    EXPECT_EQ(bits(ExactSum::from_words(total).value()), bits(whole)) << ranks;
  }
}

TEST(ExactSum, RecombinesForTheMostRanks) {
  for (const double term : {-0x1p-40, 0x1p-40, -4e6, 4e6, -1.0, -0x1p-8, 0x1p22 - 0x1p-30, -0x1p22 + 0x1p-30}) {
    ExactSum one;
    one.add(term);
    for (const std::uint64_t ranks : {std::uint64_t{1} << 31, std::uint64_t{1} << 32}) {
      EXPECT_EQ(ExactSum::from_words(times(one.words(), ranks)).value(), term * static_cast<double>(ranks)) << term;
    }
  }
}

TEST(ExactSum, RecombinesTotalsBeyond64Bits) {
  ExactSum sum;
  for (int i = 0; i < 1000; ++i) sum.add(-4194303.0);
  EXPECT_EQ(ExactSum::from_words(times(sum.words(), 1 << 20)).value(), -4194303.0 * 1000 * (1 << 20));
}

TEST(ExactSum, IsNotANumberWhenATermIsUnusable) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -1e300, 0x1p22, -0x1p22}) {
    ExactSum sum;
    sum.add(1.0);
    sum.add(bad);
    EXPECT_TRUE(std::isnan(sum.value())) << bad;
    EXPECT_TRUE(std::isnan(ExactSum::from_words(sum.words()).value())) << bad;
  }
}

TEST(ExactSum, OfAnyNumberIsThatNumberInStepsOfTheGridOrNone) {
  for (const double number : testing::every_number<double>()) {
    ExactSum sum;
    sum.add(number);
    if (std::abs(number) < 0x1p22) {
      ASSERT_EQ(sum.value(), std::ldexp(std::nearbyint(std::ldexp(number, 40)), -40)) << number;
    } else {
      ASSERT_TRUE(std::isnan(sum.value())) << number;
    }
    ASSERT_EQ(bits(ExactSum::from_words(sum.words()).value()), bits(sum.value())) << number;
  }
}

}  // namespace
}  // namespace lq::base
