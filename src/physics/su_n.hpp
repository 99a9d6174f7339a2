// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// N x N complex matrices as rows of re, im pairs in memory. The number of colours is a type: known to the compiler
// for N = 2 and 3, where the loops are unrolled, and a run-time value for all others.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace lq::physics {

template <int N>
using Fixed = std::integral_constant<int, N>;

struct Dynamic {
  int value = 0;
  constexpr operator int() const noexcept { return value; }
};

// Calls work(Fixed<2>), work(Fixed<3>) or work(Dynamic).
template <class Work>
auto with_colors(int colors, Work&& work) {
  switch (colors) {
    case 2:
      return work(Fixed<2>{});
    case 3:
      return work(Fixed<3>{});
    default:
      return work(Dynamic{colors});
  }
}

constexpr std::size_t matrix_numbers(int colors) noexcept {
  return 2 * static_cast<std::size_t>(colors) * static_cast<std::size_t>(colors);
}

// Memory for one matrix.
template <class Colors>
class Matrix;
template <class Colors>
Matrix(Colors) -> Matrix<Colors>;
template <int N>
class Matrix<Fixed<N>> {
 public:
  explicit Matrix(Fixed<N> = {}) {}
  double* data() noexcept { return numbers_.data(); }
  const double* data() const noexcept { return numbers_.data(); }

 private:
  std::array<double, matrix_numbers(N)> numbers_{};
};
template <>
class Matrix<Dynamic> {
 public:
  explicit Matrix(Dynamic colors) : numbers_(matrix_numbers(colors)) {}
  double* data() noexcept { return numbers_.data(); }
  const double* data() const noexcept { return numbers_.data(); }

 private:
  std::vector<double> numbers_;
};

template <class Colors>
std::complex<double> element(Colors colors, const double* u, int row, int column) noexcept {
  const auto at =
      2 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(colors) + static_cast<std::size_t>(column));
  return {u[at], u[at + 1]};
}

template <class Colors>
void set_element(Colors colors, double* u, int row, int column, std::complex<double> value) noexcept {
  const auto at =
      2 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(colors) + static_cast<std::size_t>(column));
  u[at] = value.real();
  u[at + 1] = value.imag();
}

// c += a b. Real and imaginary parts of a multiply whole rows of b and are combined at the end of the row, so that the
// compiler can use vectors without shuffling. c does not overlap a or b.
template <int N>
inline void multiply_add(Fixed<N>, const double* __restrict a, const double* __restrict b,
                         double* __restrict c) noexcept {
  constexpr int row = 2 * N;
  for (int i = 0; i < N; ++i) {
    double by_real[row] = {}, by_imaginary[row] = {};
    for (int k = 0; k < N; ++k) {
      for (int j = 0; j < row; ++j) by_real[j] += a[i * row + 2 * k] * b[k * row + j];
      for (int j = 0; j < row; ++j) by_imaginary[j] += a[i * row + 2 * k + 1] * b[k * row + j];
    }
    for (int j = 0; j < row; j += 2) {
      c[i * row + j] += by_real[j] - by_imaginary[j + 1];
      c[i * row + j + 1] += by_real[j + 1] + by_imaginary[j];
    }
  }
}

inline void multiply_add(Dynamic colors, const double* __restrict a, const double* __restrict b,
                         double* __restrict c) noexcept {
  const auto row = 2 * static_cast<std::size_t>(colors.value);
  for (std::size_t i = 0; i < row / 2; ++i) {
    for (std::size_t k = 0; k < row / 2; ++k) {
      const double re = a[i * row + 2 * k], im = a[i * row + 2 * k + 1];
      for (std::size_t j = 0; j < row; j += 2) {
        c[i * row + j] += re * b[k * row + j] - im * b[k * row + j + 1];
        c[i * row + j + 1] += re * b[k * row + j + 1] + im * b[k * row + j];
      }
    }
  }
}

// c = a b.
template <class Colors>
inline void multiply(Colors colors, const double* a, const double* b, double* c) noexcept {
  std::fill_n(c, matrix_numbers(colors), 0.0);
  multiply_add(colors, a, b, c);
}

// out = a^dagger.
template <class Colors>
inline void adjoint(Colors colors, const double* __restrict a, double* __restrict out) noexcept {
  const int n = colors;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      out[2 * (i * n + j)] = a[2 * (j * n + i)];
      out[2 * (i * n + j) + 1] = -a[2 * (j * n + i) + 1];
    }
  }
}

template <class Colors>
double real_trace(Colors colors, const double* u) noexcept {
  double trace = 0;
  for (int i = 0; i < colors; ++i) trace += element(colors, u, i, i).real();
  return trace;
}

// Re Tr a b^dagger: the scalar product of the two as vectors.
template <class Colors>
double real_trace_with_adjoint(Colors colors, const double* a, const double* b) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < matrix_numbers(colors); ++i) sum += a[i] * b[i];
  return sum;
}

// c = a b, or, for links stored with rows and columns exchanged, the product of the transposed ones.
template <class Colors>
void multiply_links(Colors colors, const double* a, const double* b, bool transposed, double* c) noexcept {
  if (!transposed) return multiply(colors, a, b, c);
  multiply(colors, b, a, c);
  for (int i = 0; i < colors; ++i) {
    for (int j = 0; j < i; ++j)
      std::swap_ranges(c + 2 * (i * colors + j), c + 2 * (i * colors + j) + 2, c + 2 * (j * colors + i));
  }
}

// Re Tr U_P / N of a plaquette from its links: in directions mu and nu from its corner, and from the next corner in the
// other direction. `first`, `second`: memory for a matrix each.
template <class Colors>
double plaquette_of(Colors colors, const double* mu, const double* nu_above_mu, const double* nu,
                    const double* mu_above_nu, double* first, double* second, bool transposed = false) noexcept {
  multiply_links(colors, mu, nu_above_mu, transposed, first);
  multiply_links(colors, nu, mu_above_nu, transposed, second);
  return real_trace_with_adjoint(colors, first, second) / colors;
}

// The largest |element| of u u^dagger - 1.
template <class Colors>
double distance_from_unitarity(Colors colors, const double* u) noexcept {
  double largest = 0;
  for (int i = 0; i < colors; ++i) {
    for (int j = 0; j <= i; ++j) {
      double re = i == j ? -1.0 : 0.0, im = 0;
      for (int k = 0; k < colors; ++k) {
        const auto a = element(colors, u, i, k), b = element(colors, u, j, k);
        re += a.real() * b.real() + a.imag() * b.imag();
        im += a.imag() * b.real() - a.real() * b.imag();
      }
      const double square = re * re + im * im;
      if (!(square <= largest)) largest = square;  // lets NaN through
      if (std::isnan(largest)) return largest;
    }
  }
  return std::sqrt(largest);
}

// By elimination with row pivoting; destroys `u`.
template <class Colors>
std::complex<double> determinant_in_place(Colors colors, double* u) noexcept {
  const int n = colors;
  std::complex<double> product = 1;
  for (int column = 0; column < n; ++column) {
    int pivot = column;
    for (int row = column + 1; row < n; ++row) {
      if (std::norm(element(colors, u, row, column)) > std::norm(element(colors, u, pivot, column))) pivot = row;
    }
    if (pivot != column) {
      std::swap_ranges(u + 2 * n * pivot, u + 2 * n * (pivot + 1), u + 2 * n * column);
      product = -product;
    }
    const std::complex<double> top = element(colors, u, column, column);
    product *= top;
    if (top == 0.0) return 0;
    for (int row = column + 1; row < n; ++row) {
      const std::complex<double> factor = element(colors, u, row, column) / top;
      for (int k = column; k < n; ++k) {
        set_element(colors, u, row, k, element(colors, u, row, k) - factor * element(colors, u, column, k));
      }
    }
  }
  return product;
}

// |det u - 1|.
template <class Colors>
double distance_of_determinant(Colors colors, const double* u) {
  if constexpr (std::is_same_v<Colors, Fixed<2>>) {
    const auto det =
        element(colors, u, 0, 0) * element(colors, u, 1, 1) - element(colors, u, 0, 1) * element(colors, u, 1, 0);
    return std::abs(det - 1.0);
  } else {
    Matrix<Colors> copy(colors);
    std::copy_n(u, matrix_numbers(colors), copy.data());
    return std::abs(determinant_in_place(colors, copy.data()) - 1.0);
  }
}

}  // namespace lq::physics
