// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/galois.hpp"

#include <algorithm>

namespace lq::kernels {
namespace {

// Powers of 2, which generates all nonzero numbers; stored twice so that sums of two exponents need no remainder.
struct GaloisPowers {
  std::array<std::uint8_t, 510> of{};
  std::array<std::uint8_t, 256> exponent{};
};

constexpr GaloisPowers make_galois_powers() noexcept {
  GaloisPowers made;
  unsigned value = 1;
  for (unsigned i = 0; i < 255; ++i) {
    made.of[i] = made.of[i + 255] = static_cast<std::uint8_t>(value);
    made.exponent[value] = static_cast<std::uint8_t>(i);
    value = (value << 1U) ^ ((value & 0x80U) != 0 ? 0x11dU : 0U);
  }
  return made;
}

constexpr GaloisPowers galois_powers = make_galois_powers();

// Adds that multiple of row `from` to row `to` of n numbers.
void add_row(std::span<std::uint8_t> matrix, std::size_t n, std::size_t from, std::size_t to, std::uint8_t factor) {
  for (std::size_t i = 0; i < n; ++i) matrix[to * n + i] ^= galois_product(factor, matrix[from * n + i]);
}

void swap_rows(std::span<std::uint8_t> matrix, std::size_t n, std::size_t a, std::size_t b) {
  std::swap_ranges(matrix.begin() + static_cast<std::ptrdiff_t>(a * n),
                   matrix.begin() + static_cast<std::ptrdiff_t>((a + 1) * n),
                   matrix.begin() + static_cast<std::ptrdiff_t>(b * n));
}

void scale_row(std::span<std::uint8_t> matrix, std::size_t n, std::size_t row, std::uint8_t factor) {
  for (std::uint8_t& number : matrix.subspan(row * n, n)) number = galois_product(number, factor);
}

}  // namespace

std::uint8_t galois_product(std::uint8_t a, std::uint8_t b) noexcept {
  if (a == 0 || b == 0) return 0;
  return galois_powers.of[static_cast<std::size_t>(galois_powers.exponent[a]) + galois_powers.exponent[b]];
}

std::uint8_t galois_inverse(std::uint8_t a) noexcept { return galois_powers.of[255U - galois_powers.exponent[a]]; }

std::uint8_t parity_factor(std::uint32_t parity, std::uint32_t column) noexcept {
  return galois_inverse(static_cast<std::uint8_t>(parity ^ (255U - column)));
}

bool galois_invert(std::span<std::uint8_t> matrix, std::size_t n) {
  std::vector<std::uint8_t> unit(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) unit[i * n + i] = 1;
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    while (pivot < n && matrix[pivot * n + column] == 0) ++pivot;
    if (pivot == n) return false;
    if (pivot != column) {
      swap_rows(matrix, n, pivot, column);
      swap_rows(unit, n, pivot, column);
    }
    const std::uint8_t inverse = galois_inverse(matrix[column * n + column]);
    scale_row(matrix, n, column, inverse);
    scale_row(unit, n, column, inverse);
    for (std::size_t row = 0; row < n; ++row) {
      const std::uint8_t factor = matrix[row * n + column];
      if (row == column || factor == 0) continue;
      add_row(matrix, n, column, row, factor);
      add_row(unit, n, column, row, factor);
    }
  }
  std::ranges::copy(unit, matrix.begin());
  return true;
}

ProductTables::ProductTables(std::span<const std::uint8_t> factors, InstructionSet set)
    : tables_(factors.size()), loop_(loops_of(set).add_products) {
  for (std::size_t k = 0; k < factors.size(); ++k) {
    for (unsigned half = 0; half < 16; ++half) {
      tables_[k].bytes[half] = std::byte{galois_product(factors[k], static_cast<std::uint8_t>(half))};
      tables_[k].bytes[half + 16] = std::byte{galois_product(factors[k], static_cast<std::uint8_t>(half << 4U))};
    }
  }
}

void ProductTables::add_products(base::Bytes from, std::byte* const* to) const noexcept {
  if (tables_.empty()) return;
  loop_(tables_.front().bytes.data(), tables_.size(), from.data(), to, from.size());
}

}  // namespace lq::kernels
