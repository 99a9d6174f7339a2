// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/digest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

namespace lq::kernels {
namespace {

using Words = std::array<std::uint64_t, square_sum_words>;

std::vector<std::byte> in_file(const std::vector<double>& numbers, bool big_endian) {
  std::vector<std::byte> bytes(8 * numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const auto word = std::bit_cast<std::uint64_t>(numbers[k]);
    big_endian ? base::store_be(bytes.data() + 8 * k, word) : base::store_le(bytes.data() + 8 * k, word);
  }
  return bytes;
}

double sum_of(const std::vector<double>& numbers, bool big_endian = false) {
  Words words{};
  add_squares(words, in_file(numbers, big_endian), 8, big_endian);
  return value_of(words);
}

TEST(SquareSum, IsExactWhereTheResultIs) {
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({3, -4, 0.5}), 25.25);
  EXPECT_EQ(sum_of({3, -4, 0.5}, true), 25.25);
  EXPECT_EQ(sum_of({1e150, 1e-160}), 1e150 * 1e150);
  EXPECT_EQ(sum_of({0x1p-530}), 0x1p-1060);
  EXPECT_EQ(sum_of({0x1p511}), 0x1p1022);
  EXPECT_TRUE(std::isnan(sum_of({1, std::numeric_limits<double>::infinity()})));
}

TEST(SquareSum, OfManyNumbersDoesNotDependOnTheirOrderOrOnHowTheyAreDealtOut) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(10000);
  long double plain = 0;
  for (double& number : numbers) {
    number = normal(random) * std::pow(10.0, static_cast<double>(random() % 20) - 10);
    plain += static_cast<long double>(number * number);
  }
  const double all = sum_of(numbers);
  EXPECT_NEAR(all, static_cast<double>(plain), 1e-15 * all);
  std::shuffle(numbers.begin(), numbers.end(), random);
  EXPECT_EQ(sum_of(numbers), all);
  Words one{}, other{};
  const std::vector<std::byte> bytes = in_file(numbers, false);
  add_squares(one, base::Bytes(bytes).first(8 * 1234), 8, false);
  add_squares(other, base::Bytes(bytes).subspan(8 * 1234), 8, false);
  for (std::size_t k = 0; k < one.size(); ++k) one[k] += other[k];
  EXPECT_EQ(value_of(one), all);
}

// Half of -2 tr X X, with the matrix of docs/formats/openqcd.md 5 written out.
TEST(SquareSum, OfMomentaIsTheirAction) {
  using Complex = std::complex<double>;
  const std::vector<double> c{0.5, -1.25, 2, 0.75, -3, 1.5, 0.125, -2.5};
  const auto [c1, c2, c3, c4, c5, c6, c7, c8] = std::array{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};
  const Complex x[3][3] = {{{0, c1 + c2}, {c3, c4}, {c5, c6}},
                           {{-c3, c4}, {0, c2 - 2 * c1}, {c7, c8}},
                           {{-c5, c6}, {-c7, c8}, {0, c1 - 2 * c2}}};
  Complex trace = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) trace += x[i][k] * x[k][i];
  }
  std::vector<double> numbers = c;
  numbers.insert(numbers.end(), c.begin(), c.end());
  for (const bool big_endian : {false, true}) {
    Words words{};
    add_momentum_action(words, in_file(numbers, big_endian), 8, big_endian);
    EXPECT_EQ(value_of(words), -2 * trace.real());
  }
}

}  // namespace
}  // namespace lq::kernels
