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

// Single numbers, complex ones and rows: groups of each length, in sites with more numbers than are named.
template <class T>
void expect_gathered_and_scattered(Precision precision, const std::vector<std::uint32_t>& order) {
  SCOPED_TRACE(order.size());
  constexpr std::size_t site = 25, sites = 3;
  std::vector<T> memory(site * sites);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<T>(i);
  std::vector<T> file(order.size() * sites, -1), back(memory.size(), -1);
  const auto stride = static_cast<std::ptrdiff_t>(site * sizeof(T));
  gather_numbers(precision, order, bytes_of(memory), stride, sites, bytes_of(file));
  for (std::size_t i = 0; i < file.size(); ++i) {
    EXPECT_EQ(file[i], static_cast<T>(i / order.size() * site + order[i % order.size()])) << i;
  }
  scatter_numbers(precision, order, bytes_of(file), sites, bytes_of(back), stride);
  for (std::size_t i = 0; i < back.size(); ++i) {
    const bool is_named = std::ranges::find(order, i % site) != order.end();
    EXPECT_EQ(back[i], is_named ? memory[i] : T{-1}) << i;
  }
}

TEST(SiteNumbers, AreGatheredAndScattered) {
  const std::vector<std::vector<std::uint32_t>> orders{
      {4, 0, 3},
      {0, 1, 3, 4},                                  // two pairs
      {1, 2, 3, 4, 6, 5},                            // pairs except for the last
      {18, 19, 20, 21, 22, 23, 6, 7, 8, 9, 10, 11},  // two rows
      {12, 13, 14, 15, 16, 17, 0, 1, 2, 4, 5, 6},    // one row, and odd groups
      {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},     // rows in one piece, from an odd number on
  };
  for (const std::vector<std::uint32_t>& order : orders) {
    expect_gathered_and_scattered<float>(Precision::single, order);
    expect_gathered_and_scattered<double>(Precision::double_, order);
  }
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
