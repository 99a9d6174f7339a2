// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/site_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

namespace lq::kernels {
namespace {

template <class T>
std::byte* bytes_of(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

template <class T>
void expect_gathered_and_scattered(Precision precision) {
  const std::vector<std::uint32_t> order{4, 0, 3};
  std::vector<T> memory(21);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<T>(i);
  std::vector<T> file(9, -1), back(21, -1);
  const auto stride = static_cast<std::ptrdiff_t>(7 * sizeof(T));
  gather_numbers(precision, order, bytes_of(memory), stride, 3, bytes_of(file));
  EXPECT_EQ(file, (std::vector<T>{4, 0, 3, 11, 7, 10, 18, 14, 17}));
  scatter_numbers(precision, order, bytes_of(file), 3, bytes_of(back), stride);
  for (std::size_t i = 0; i < back.size(); ++i) {
    const bool is_named = std::ranges::find(order, i % 7) != order.end();
    EXPECT_EQ(back[i], is_named ? memory[i] : T{-1}) << i;
  }
}

TEST(SiteNumbers, AreGatheredAndScattered) {
  expect_gathered_and_scattered<float>(Precision::single);
  expect_gathered_and_scattered<double>(Precision::double_);
}

// exp of a traceless antihermitian matrix is in SU(3): its third row is what is to be found.
TEST(SiteNumbers, OfThirdRowsAreThoseOfSU3) {
  using Complex = std::complex<double>;
  Complex a[3][3], power[3][3], u[3][3];
  const double phases[3] = {0.3, 0.5, -0.8};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      a[i][j] = i == j ? Complex(0, phases[i]) : i < j ? Complex(0.2 * i + 0.1, 0.4 * j) : -std::conj(a[j][i]);
      power[i][j] = u[i][j] = i == j ? 1 : 0;
    }
  }
  for (int n = 1; n < 40; ++n) {
    Complex next[3][3] = {};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) next[i][j] += power[i][k] * a[k][j] / static_cast<double>(n);
      }
    }
    std::copy_n(&next[0][0], 9, &power[0][0]);
    for (int i = 0; i < 9; ++i) (&u[0][0])[i] += (&power[0][0])[i];
  }
  std::vector<double> numbers(36, 7);
  for (int i = 0; i < 6; ++i) {
    numbers[static_cast<std::size_t>(2 * i)] = numbers[static_cast<std::size_t>(18 + 2 * i)] = (&u[0][0])[i].real();
    numbers[static_cast<std::size_t>(2 * i + 1)] = numbers[static_cast<std::size_t>(19 + 2 * i)] = (&u[0][0])[i].imag();
  }
  rebuild_third_rows(Precision::double_, bytes_of(numbers), 2);
  for (std::size_t i = 0; i < 3; ++i) {
    for (const std::size_t matrix : {0U, 18U}) {
      EXPECT_NEAR(numbers[matrix + 12 + 2 * i], u[2][i].real(), 1e-15);
      EXPECT_NEAR(numbers[matrix + 13 + 2 * i], u[2][i].imag(), 1e-15);
    }
  }
}

}  // namespace
}  // namespace lq::kernels
