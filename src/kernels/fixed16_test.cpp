// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/site_numbers.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/float_modes.hpp"

namespace lq::kernels {
namespace {

template <class Number>
constexpr Precision precision_of = sizeof(Number) == 4 ? Precision::single : Precision::double_;

template <class Number>
std::vector<std::uint32_t> encoded(const std::vector<Number>& site) {
  std::vector<std::uint32_t> words(fixed16_words(site.size()));
  to_fixed16(precision_of<Number>, site.size(), reinterpret_cast<const std::byte*>(site.data()), 0, 1,
             reinterpret_cast<std::byte*>(words.data()));
  return words;
}

template <class Number>
std::vector<Number> decoded(const std::vector<std::uint32_t>& words, std::size_t numbers) {
  std::vector<Number> site(numbers);
  from_fixed16(precision_of<Number>, numbers, reinterpret_cast<const std::byte*>(words.data()), 1,
               reinterpret_cast<std::byte*>(site.data()), 0);
  return site;
}

// Numbers of very different sizes within a site, sites of very different magnitudes.
template <class Number>
void expect_bound(int smallest_exponent, int largest_exponent) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> fraction(-1, 1);
  std::uniform_int_distribution<int> exponent(smallest_exponent, largest_exponent), smaller(0, 20);
  double worst = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const int scale = exponent(random);
    std::vector<Number> site(static_cast<std::size_t>(1 + trial % 25));
    double largest = 0;
    for (Number& number : site) {
      number = static_cast<Number>(std::ldexp(fraction(random), scale - smaller(random)));
      largest = std::max(largest, std::fabs(static_cast<double>(number)));
    }
    const std::vector<Number> back = decoded<Number>(encoded(site), site.size());
    for (std::size_t k = 0; k < site.size(); ++k) {
      const double error = std::fabs(static_cast<double>(back[k]) - static_cast<double>(site[k]));
      ASSERT_LE(error, largest / 65000) << "trial " << trial << ", number " << k;
      if (largest > 0) worst = std::max(worst, error / largest);
    }
  }
  EXPECT_GT(worst, 1.0 / 70000) << "the bound is no tighter than it can be";
}

TEST(Fixed16, IsWrongByNoMoreThanItSays) {
  expect_bound<double>(-80, 120);
  expect_bound<float>(-80, 120);
}

// By hand: m = 2, integers 16384 (1 * 32767 / 2 = 16383.5, away from zero), -32767, 8192 (0.5 * 32767 / 2 = 8191.75).
TEST(Fixed16, IsTheWordsOfThePage) {
  EXPECT_EQ(encoded<double>({1.0, -2.0, 0.5}), (std::vector<std::uint32_t>{0x40000000, 0x40008001, 0x20000000}));
  EXPECT_EQ(encoded<float>({0.0F, 0.0F}), (std::vector<std::uint32_t>{0, 0}));
}

TEST(Fixed16, RoundsTheMagnitudeUpSoThatNoIntegerOverflows) {
  const double number = 1 + std::ldexp(1, -30);  // lies between two numbers of single precision
  const auto words = encoded<double>({number, -number});
  EXPECT_EQ(words[0], std::bit_cast<std::uint32_t>(std::nextafter(1.0F, 2.0F)));
  EXPECT_EQ(words[1], 0x7fff8001U);
}

TEST(Fixed16, EncodesWhatItDecodedAsTheSameWords) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<std::uint32_t> words{
        std::bit_cast<std::uint32_t>(std::ldexp(1.0F + static_cast<float>(trial) / 1000.0F, trial % 60)),
        0x7fff0000U | (static_cast<std::uint32_t>(random()) & 0x7fffU)};
    EXPECT_EQ(encoded(decoded<double>(words, 2)), words);
  }
}

TEST(Fixed16, KeepsNoSiteThatHoldsWhatIsNoNumber) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300}) {
    for (const double number : decoded<double>(encoded<double>({1.0, bad, 2.0}), 3)) EXPECT_TRUE(std::isnan(number));
  }
  EXPECT_EQ(decoded<double>(encoded<double>({1e-40, -1e-300}), 2), (std::vector<double>{0, 0}));
}

TEST(Fixed16, IsTheSameInEveryFloatMode) {
  std::vector<double> site(24);
  for (std::size_t k = 0; k < site.size(); ++k) site[k] = std::sin(static_cast<double>(k * k + 1)) / 3;
  std::vector<double> tiny(site);
  for (double& number : tiny) number *= 1e-36;
  const auto words = encoded(site), words_of_tiny = encoded(tiny);
  const auto numbers = decoded<float>(words, site.size()), tiny_numbers = decoded<float>(words_of_tiny, site.size());
  testing::in_every_float_mode([&] {
    EXPECT_EQ(encoded(site), words);
    EXPECT_EQ(encoded(tiny), words_of_tiny);
    EXPECT_EQ(decoded<float>(words, site.size()), numbers);
    EXPECT_EQ(decoded<float>(words_of_tiny, site.size()), tiny_numbers);
  });
}

TEST(Fixed16, TakesSitesThatLieApart) {
  const std::vector<double> memory{1, 2, 99, 99, -3, 4};
  std::vector<std::uint32_t> words(4);
  to_fixed16(Precision::double_, 2, reinterpret_cast<const std::byte*>(memory.data()), 4 * sizeof(double), 2,
             reinterpret_cast<std::byte*>(words.data()));
  EXPECT_EQ(decoded<double>({words[0], words[1]}, 2), decoded<double>(encoded<double>({1, 2}), 2));
  std::vector<double> back(6, 7.0);
  from_fixed16(Precision::double_, 2, reinterpret_cast<const std::byte*>(words.data()), 2,
               reinterpret_cast<std::byte*>(back.data()), 4 * sizeof(double));
  EXPECT_NEAR(back[4], -3, 4.0 / 65000);
  EXPECT_EQ(back[2], 7.0);
}

}  // namespace
}  // namespace lq::kernels
