// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes/projection.hpp"

#include <cmath>
#include <utility>

namespace lq::modes {
namespace {

// A mode is left out where the square of what is new in it is below this part of its own.
constexpr double least_part = 1e-9;

using Complex = std::complex<double>;

// Where row i of a triangle begins.
constexpr std::size_t row_of(std::size_t i) noexcept { return i * (i + 1) / 2; }

// a - sum over k < count of l[k] * conj(m[k])
Complex without(Complex a, const Complex* l, const Complex* m, std::size_t count) noexcept {
  double re = a.real(), im = a.imag();
  for (std::size_t k = 0; k < count; ++k) {
    re -= l[k].real() * m[k].real() + l[k].imag() * m[k].imag();
    im -= l[k].imag() * m[k].real() - l[k].real() * m[k].imag();
  }
  return {re, im};
}

// L y = b, then the conjugate transpose of L c = y; where the diagonal is zero, so is c.
void solve(const std::vector<Complex>& factor, std::span<Complex> c) noexcept {
  const std::size_t count = c.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Complex* const row = factor.data() + row_of(i);
    const double diagonal = row[i].real();
    Complex sum = c[i];
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * c[k];
    c[i] = diagonal > 0 ? sum / diagonal : Complex{};
  }
  for (std::size_t i = count; i-- > 0;) {
    const Complex* const row = factor.data() + row_of(i);
    const double diagonal = row[i].real();
    c[i] = diagonal > 0 ? c[i] / diagonal : Complex{};
    for (std::size_t k = 0; k < i; ++k) c[k] -= std::conj(row[k]) * c[i];
  }
}

}  // namespace

Projection::Projection(Basis basis) : basis_(std::move(basis)) {
  factors_.resize(static_cast<std::size_t>(basis_.cover().volume()));
}

void Projection::add(std::span<const double> vector) {
  basis_.add(vector);
  const auto i = static_cast<std::size_t>(basis_.size() - 1);
  for (std::size_t block = 0; block < factors_.size(); ++block) {
    Rows& factor = factors_[block];
    factor.resize(row_of(i + 1));
    Complex* const row = factor.data() + row_of(i);
    double left = basis_.product(block, i, i).real();
    const double own = left;
    for (std::size_t j = 0; j < i; ++j) {
      const Complex* const other = factor.data() + row_of(j);
      const double diagonal = other[j].real();
      if (!(diagonal > 0)) continue;
      row[j] = without(std::conj(basis_.product(block, j, i)), row, other, j) / diagonal;
      left -= std::norm(row[j]);
    }
    row[i] = left > least_part * own ? std::sqrt(left) : 0;
  }
}

std::vector<Complex> Projection::coefficients(std::span<const double> vector, Precision precision) const {
  const auto count = static_cast<std::size_t>(basis_.size());
  std::vector<Complex> all(factors_.size() * count);
  for (std::size_t block = 0; block < factors_.size(); ++block) {
    const std::span of_block(all.data() + block * count, count);
    for (std::size_t j = 0; j < count; ++j) of_block[j] = basis_.product(block, j, vector);
    solve(factors_[block], of_block);
  }
  if (precision == Precision::double_) return all;
  for (Complex& one : all) one = {static_cast<float>(one.real()), static_cast<float>(one.imag())};
  return all;
}

}  // namespace lq::modes
