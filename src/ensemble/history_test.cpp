// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/history.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace lq::ensemble {
namespace {

// x' = a x + noise: the autocorrelation function is a^t, the integrated time (1 + a) / (2 (1 - a)).
std::vector<double> chain(double a, std::size_t count, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> noise;
  std::vector<double> numbers(count);
  double x = noise(engine) / std::sqrt(1 - a * a);
  for (double& number : numbers) {
    number = 0.59 + 1e-3 * x;
    x = a * x + noise(engine);
  }
  return numbers;
}

TEST(ChainMean, KnowsTheAutocorrelationOfAChain) {
  for (const double a : {0.0, 0.5, 0.8, 0.95}) {
    const std::size_t count = 100000;
    const std::vector<double> numbers = chain(a, count, 7);
    const ChainMean found = mean_of_chain(numbers);
    const double tau = (1 + a) / (2 * (1 - a));
    EXPECT_NEAR(found.tau, tau, 4 * found.tau_error + 0.01) << a;
    EXPECT_LT(found.tau_error, 0.1 * tau) << a;
    // Of the stationary chain: variance 1e-6 / (1 - a^2).
    const double error = 1e-3 / std::sqrt(1 - a * a) * std::sqrt(2 * tau / static_cast<double>(count));
    EXPECT_NEAR(found.error, error, 0.1 * error) << a;
    EXPECT_NEAR(found.mean, 0.59, 5 * error) << a;
  }
}

// The errors of many chains, against the scatter of their means.
TEST(ChainMean, ErrorIsTheScatterOfMeans) {
  constexpr int chains = 300;
  double sum = 0, squares = 0, errors = 0;
  for (unsigned k = 0; k < chains; ++k) {
    const ChainMean found = mean_of_chain(chain(0.8, 1000, 100 + k));
    sum += found.mean - 0.59;
    squares += (found.mean - 0.59) * (found.mean - 0.59);
    errors += found.error / chains;
  }
  const double scatter = std::sqrt(squares / chains - sum / chains * sum / chains);
  EXPECT_NEAR(errors, scatter, 0.15 * scatter);
}

TEST(ChainMean, SmallAndEqualNumbersHaveNoError) {
  EXPECT_EQ(mean_of_chain({}).error, 0);
  EXPECT_EQ(mean_of_chain({0.5}).mean, 0.5);
  EXPECT_EQ(mean_of_chain({0.5}).error, 0);
  const ChainMean equal = mean_of_chain(std::vector<double>(100, 0.25));
  EXPECT_EQ(equal.mean, 0.25);
  EXPECT_EQ(equal.error, 0);
  EXPECT_TRUE(std::isfinite(mean_of_chain({1, 2}).error));
  EXPECT_TRUE(std::isfinite(mean_of_chain({1, -1, 1, -1, 1, -1, 1, -1}).tau_error));
}

TEST(ChainStretches, CoverEveryNumberOnce) {
  std::vector<std::int64_t> trajectories(103);
  std::iota(trajectories.begin(), trajectories.end(), 1000);
  const std::vector<double> numbers = chain(0, trajectories.size(), 3);
  const auto stretches = stretches_of(trajectories, numbers, 0.5, 10);
  ASSERT_EQ(stretches.size(), 10U);
  EXPECT_EQ(stretches.front().first, 1000);
  EXPECT_EQ(stretches.back().last, 1102);
  std::size_t all = 0, begin = 0;
  for (const ChainStretch& one : stretches) {
    EXPECT_EQ(one.first, trajectories[begin]);
    const std::vector<double> part(numbers.begin() + static_cast<std::ptrdiff_t>(begin),
                                   numbers.begin() + static_cast<std::ptrdiff_t>(begin + one.count));
    const double n = static_cast<double>(part.size()), mean = std::accumulate(part.begin(), part.end(), 0.0) / n;
    double squares = 0;
    for (const double number : part) squares += (number - mean) * (number - mean);
    EXPECT_NEAR(one.mean, mean, 1e-14);
    EXPECT_NEAR(one.error, std::sqrt(squares / (n - 1) / n), 1e-14);
    all += one.count;
    begin += one.count;
  }
  EXPECT_EQ(all, numbers.size());
  EXPECT_TRUE(stretches_of({1, 2, 3}, {1, 2, 3}, 0.5, 10).empty());
}

}  // namespace
}  // namespace lq::ensemble
