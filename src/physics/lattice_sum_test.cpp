// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums do not depend on how terms are grouped, and small terms are not lost.
#include "physics/site_sums.hpp"

#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/every_number.hpp"
#include "support/thread_comm.hpp"

namespace lq::physics {
namespace {

std::vector<double> random_terms() {
  std::mt19937_64 engine(5);
  std::vector<double> terms(1000);
  for (double& term : terms)
    term = std::ldexp(std::normal_distribution<double>()(engine), static_cast<int>(engine() % 40) - 30);
  return terms;
}

double sum_on_ranks(int ranks, const std::vector<double>& terms) {
  double result = 0;
  testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
    LatticeSum sum;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (static_cast<int>(i) % ranks == comm->rank()) sum.add(terms[i]);
    }
    comm::combine_over_ranks(*comm, sum);
    if (comm->rank() == 0) result = sum.value();
  });
  return result;
}

TEST(LatticeSum, IsTheSameOnAnyNumberOfRanks) {
  const auto terms = random_terms();
  const double alone = sum_on_ranks(1, terms);
  for (const int ranks : {2, 3, 7}) EXPECT_EQ(sum_on_ranks(ranks, terms), alone);
}

TEST(LatticeSum, IsCloseToThePlainSum) {
  long double plain = 0;
  for (const double term : random_terms()) plain += term;
  EXPECT_NEAR(sum_on_ranks(1, random_terms()), static_cast<double>(plain), 1e-9);
}

TEST(LatticeSum, KeepsRoundingErrors) {
  LatticeSum sum;
  for (int i = 0; i < 1000; ++i) sum.add(1e-16);
  EXPECT_NEAR(sum.value(), 1e-13, 1e-15);
}

TEST(LatticeSum, BoundsHugeTermsAndRemembersBrokenOnes) {
  LatticeSum sum;
  sum.add(1e300);
  sum.add(-1e300);
  sum.add(0.5);
  EXPECT_EQ(sum.value(), 0.5);
  sum.add(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(sum.value()));
}

TEST(LatticeSum, OfAnyNumberIsNearThatNumberBoundedOrNone) {
  for (const double number : testing::every_number<double>()) {
    LatticeSum sum;
    sum.add(number);
    if (std::isfinite(number)) {
      const double bounded = std::clamp(number, -0x1p21, 0x1p21);
      ASSERT_NEAR(sum.value(), bounded, std::abs(number) <= 2 ? 0x1p-60 : 0x1p-40) << number;
    } else {
      ASSERT_TRUE(std::isnan(sum.value())) << number;
    }
  }
}

}  // namespace
}  // namespace lq::physics
