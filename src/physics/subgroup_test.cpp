// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The heat bath against the moments of its distribution, the subgroups against matrix products.
#include "physics/subgroup.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace lq::physics {
namespace {

constexpr double rounding = 1e-14;

// Modified Bessel function by its series.
double bessel_i(int order, double x) {
  double term = std::pow(x / 2, order) / std::tgamma(order + 1), sum = 0;
  for (int k = 1; k < 500; ++k) {
    sum += term;
    term *= x * x / 4 / k / (k + order);
  }
  return sum;
}

struct Moments {
  double first = 0, second = 0;
};

// Of the density sqrt(1 - x^2) exp(alpha x): I2/I1 and 1 - 3 I2 / (alpha I1).
Moments exact_moments(double alpha) {
  if (alpha == 0) return {0, 0.25};
  const double ratio = bessel_i(2, alpha) / bessel_i(1, alpha);
  return {ratio, 1 - 3 * ratio / alpha};
}

Moments sampled_moments(double alpha, int draws) {
  Random random({.seed = 11, .site_rank = static_cast<std::uint64_t>(alpha * 1000)});
  Moments moments;
  for (int draw = 0; draw < draws; ++draw) {
    const double x = draw_trace(alpha, random);
    moments.first += x / draws;
    moments.second += x * x / draws;
  }
  return moments;
}

class HeatBath : public ::testing::TestWithParam<double> {};

TEST_P(HeatBath, HasTheExactMoments) {
  constexpr int draws = 100000;
  const Moments exact = exact_moments(GetParam()), sampled = sampled_moments(GetParam(), draws);
  const double deviation = std::sqrt((exact.second - exact.first * exact.first) / draws);
  EXPECT_NEAR(sampled.first, exact.first, 5 * deviation);
  EXPECT_NEAR(sampled.second, exact.second, 10 * deviation);  // x^2 varies at most twice as much as x
}

INSTANTIATE_TEST_SUITE_P(Alpha, HeatBath, ::testing::Values(0.0, 1e-12, 0.01, 0.5, 0.74, 0.76, 2.0, 5.0, 20.0, 60.0));

TEST(HeatBathElement, IsInTheGroupAndFavoursTheInverseOfTheDirection) {
  const Quaternion direction{0.5, 0.5, -0.5, 0.5};
  Random random({.seed = 3});
  double mean = 0;
  for (int draw = 0; draw < 1000; ++draw) {
    const Quaternion g = heat_bath(direction, 50, random);
    EXPECT_NEAR((g * conjugate(g)).a0, 1, rounding);
    mean += (g * direction).a0 / 1000;
  }
  EXPECT_NEAR(mean, exact_moments(50).first, 0.01);
}

// The 2 x 2 matrix a0 + i a sigma.
std::array<double, 8> as_matrix(const Quaternion& q) { return {q.a0, q.a3, q.a2, q.a1, -q.a2, q.a1, q.a0, -q.a3}; }

TEST(Quaternion, MultipliesLikeItsMatrix) {
  const Quaternion a{1, 2, 3, 4}, b{5, -6, 7, 8};
  std::array<double, 8> product{};
  multiply(Fixed<2>{}, as_matrix(a).data(), as_matrix(b).data(), product.data());
  EXPECT_EQ(product, as_matrix(a * b));
}

TEST(Quaternion, ProjectionOfItsMatrixIsItself) {
  const auto found = project<2>(as_matrix({1, -2, 4, 10}).data(), 0, 1);
  EXPECT_NEAR(found.size, 11, rounding);
  EXPECT_NEAR(found.direction.a1, -2 / 11.0, rounding);
  EXPECT_NEAR(found.direction.a3, 10 / 11.0, rounding);
}

TEST(Projection, OfNothingHasADirectionAllTheSame) {
  const Matrix<Fixed<3>> zero;
  const Projection found = project<3>(zero.data(), 0, 2);
  EXPECT_EQ(found.size, 0);
  EXPECT_EQ(found.direction.a0, 1);
}

class Subgroups : public ::testing::TestWithParam<std::pair<int, int>> {
 protected:
  Subgroups() {
    Random random({.seed = 2});
    draw_matrix(Fixed<3>{}, w_.data(), random);
  }
  int i() const { return GetParam().first; }
  int j() const { return GetParam().second; }

  Matrix<Fixed<3>> w_;
};

TEST_P(Subgroups, MultiplyLikeMatricesWithOnesElsewhere) {
  const Quaternion g{0.5, 0.1, -0.7, 0.3};
  const auto block = as_matrix(g);
  Matrix<Fixed<3>> embedded, product;
  for (int k = 0; k < 3; ++k) set_element(Fixed<3>{}, embedded.data(), k, k, 1.0);
  const int colour[] = {i(), j()};
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      set_element(Fixed<3>{}, embedded.data(), colour[a], colour[b], element(Fixed<2>{}, block.data(), a, b));
    }
  }
  multiply(Fixed<3>{}, embedded.data(), w_.data(), product.data());
  multiply_left<3>(g, w_.data(), i(), j());
  for (std::size_t k = 0; k < matrix_numbers(3); ++k) EXPECT_NEAR(w_.data()[k], product.data()[k], rounding);
}

TEST_P(Subgroups, ReflectionKeepsTheTraceButMoves) {
  const double before = real_trace(Fixed<3>{}, w_.data());
  const auto old = w_;
  multiply_left<3>(reflection(project<3>(w_.data(), i(), j()).direction), w_.data(), i(), j());
  EXPECT_NEAR(real_trace(Fixed<3>{}, w_.data()), before, rounding);
  EXPECT_LT(real_trace_with_adjoint(Fixed<3>{}, old.data(), w_.data()), 2.99);
}

TEST_P(Subgroups, TheInverseOfTheDirectionMaximisesTheTrace) {
  const Projection found = project<3>(w_.data(), i(), j());
  const int other = 3 - i() - j();
  const double rest = element(Fixed<3>{}, w_.data(), other, other).real();
  multiply_left<3>(conjugate(found.direction), w_.data(), i(), j());
  EXPECT_NEAR(real_trace(Fixed<3>{}, w_.data()), rest + 2 * found.size, rounding);
}

INSTANTIATE_TEST_SUITE_P(OfSu3, Subgroups, ::testing::Values(std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}));

template <int N>
void expect_in_group(const double* u) {
  EXPECT_LT(distance_from_unitarity(Fixed<N>{}, u), 1e-15 * 4);
  EXPECT_LT(distance_of_determinant(Fixed<N>{}, u), 1e-15 * 4);
}

template <int N>
void expect_reunitarised_close_by() {
  Random random({.seed = 4});
  Matrix<Fixed<N>> u;
  draw_matrix(Fixed<N>{}, u.data(), random);
  expect_in_group<N>(u.data());
  auto disturbed = u;
  for (std::size_t k = 0; k < matrix_numbers(N); ++k) disturbed.data()[k] += 1e-6 * random.pair()[0];
  EXPECT_GT(distance_from_unitarity(Fixed<N>{}, disturbed.data()), 1e-7);
  reunitarise(Fixed<N>{}, disturbed.data());
  expect_in_group<N>(disturbed.data());
  for (std::size_t k = 0; k < matrix_numbers(N); ++k) EXPECT_NEAR(disturbed.data()[k], u.data()[k], 1e-5);
}

TEST(Reunitarise, BringsSu2BackToTheGroup) { expect_reunitarised_close_by<2>(); }
TEST(Reunitarise, BringsSu3BackToTheGroup) { expect_reunitarised_close_by<3>(); }

TEST(DrawMatrix, HasTheMomentsOfTheInvariantMeasure) {
  // Over SU(3) the averages of Re Tr and (Re Tr)^2 are 0 and 1/2.
  Random random({.seed = 6});
  Matrix<Fixed<3>> u;
  double first = 0, second = 0;
  constexpr int draws = 20000;
  for (int draw = 0; draw < draws; ++draw) {
    draw_matrix(Fixed<3>{}, u.data(), random);
    const double trace = real_trace(Fixed<3>{}, u.data());
    first += trace / draws;
    second += trace * trace / draws;
  }
  EXPECT_NEAR(first, 0, 0.025);
  EXPECT_NEAR(second, 0.5, 0.025);
}

}  // namespace
}  // namespace lq::physics
