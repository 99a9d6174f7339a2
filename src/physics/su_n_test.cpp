// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices of fixed and of run-time size against the textbook formulas in std::complex.
#include "physics/su_n.hpp"

#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace lq::physics {
namespace {

using Complex = std::complex<double>;
constexpr double tolerance = 1e-13;

// The same questions for N known to the compiler and not.
template <class Colors>
class SuN : public ::testing::Test {
 protected:
  static constexpr Colors colors() {
    if constexpr (std::is_same_v<Colors, Dynamic>)
      return Dynamic{5};
    else
      return {};
  }
  static std::vector<double> random_matrix() {
    static std::mt19937_64 engine(1);
    std::vector<double> u(matrix_numbers(colors()));
    for (double& number : u) number = std::uniform_real_distribution<double>(-1, 1)(engine);
    return u;
  }
  static std::vector<double> one() {
    std::vector<double> u(matrix_numbers(colors()));
    for (int i = 0; i < colors(); ++i) set_element(colors(), u.data(), i, i, 1.0);
    return u;
  }
  static Complex at(const std::vector<double>& u, int i, int j) { return element(colors(), u.data(), i, j); }
};

using Sizes = ::testing::Types<Fixed<2>, Fixed<3>, Dynamic>;
TYPED_TEST_SUITE(SuN, Sizes);

TYPED_TEST(SuN, ProductIsRowsTimesColumns) {
  const auto n = this->colors();
  const auto a = this->random_matrix(), b = this->random_matrix();
  std::vector<double> c(a.size());
  multiply(n, a.data(), b.data(), c.data());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      Complex sum = 0;
      for (int k = 0; k < n; ++k) sum += this->at(a, i, k) * this->at(b, k, j);
      EXPECT_NEAR(std::abs(this->at(c, i, j) - sum), 0, tolerance);
    }
  }
}

TYPED_TEST(SuN, MultiplyAddKeepsWhatWasThere) {
  const auto n = this->colors();
  const auto a = this->random_matrix(), b = this->random_matrix(), before = this->random_matrix();
  std::vector<double> product(a.size()), sum = before;
  multiply(n, a.data(), b.data(), product.data());
  multiply_add(n, a.data(), b.data(), sum.data());
  for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i], before[i] + product[i], tolerance);
}

TYPED_TEST(SuN, AdjointIsTransposedAndConjugated) {
  const auto n = this->colors();
  const auto a = this->random_matrix();
  std::vector<double> b(a.size());
  adjoint(n, a.data(), b.data());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) EXPECT_EQ(this->at(b, i, j), std::conj(this->at(a, j, i)));
  }
}

TYPED_TEST(SuN, TraceWithAdjointIsThatOfTheProduct) {
  const auto n = this->colors();
  const auto a = this->random_matrix(), b = this->random_matrix();
  std::vector<double> dagger(a.size()), product(a.size());
  adjoint(n, b.data(), dagger.data());
  multiply(n, a.data(), dagger.data(), product.data());
  EXPECT_NEAR(real_trace_with_adjoint(n, a.data(), b.data()), real_trace(n, product.data()), tolerance);
}

TYPED_TEST(SuN, DistancesOfOneAreZero) {
  EXPECT_EQ(distance_from_unitarity(this->colors(), this->one().data()), 0);
  EXPECT_EQ(distance_of_determinant(this->colors(), this->one().data()), 0);
}

TYPED_TEST(SuN, DistanceFromUnitarityIsTheLargestElement) {
  auto u = this->one();
  set_element(this->colors(), u.data(), 1, 0, Complex(0.3, 0.4));
  EXPECT_NEAR(distance_from_unitarity(this->colors(), u.data()), 0.5, tolerance);
}

TYPED_TEST(SuN, DistanceFromUnitarityOfBrokenNumbersIsNotANumber) {
  auto u = this->one();
  u.back() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(distance_from_unitarity(this->colors(), u.data())));
}

TYPED_TEST(SuN, DeterminantSeesPhaseSignAndSingularMatrices) {
  const auto n = this->colors();
  auto phase = this->one(), swapped = this->one(), singular = this->one();
  set_element(n, phase.data(), 0, 0, Complex(0, 1));
  std::swap_ranges(swapped.begin(), swapped.begin() + 2 * n, swapped.begin() + 2 * n);
  set_element(n, singular.data(), 1, 1, 0.0);
  EXPECT_NEAR(distance_of_determinant(n, phase.data()), std::sqrt(2.0), tolerance);
  EXPECT_NEAR(distance_of_determinant(n, swapped.data()), 2, tolerance);
  EXPECT_NEAR(distance_of_determinant(n, singular.data()), 1, tolerance);
}

TYPED_TEST(SuN, DeterminantOfAProductIsTheProduct) {
  const auto n = this->colors();
  const auto a = this->random_matrix(), b = this->random_matrix();
  std::vector<double> c(a.size());
  multiply(n, a.data(), b.data(), c.data());
  const auto determinant = [&](std::vector<double> u) { return determinant_in_place(n, u.data()); };
  EXPECT_NEAR(std::abs(determinant(c) - determinant(a) * determinant(b)), 0, tolerance);
}

}  // namespace
}  // namespace lq::physics
