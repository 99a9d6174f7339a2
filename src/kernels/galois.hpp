// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arithmetic of GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (0x11d), and its Reed-Solomon parity: the Cauchy
// matrix 1 / (j + (255 - c)) for parity j and column c, every square submatrix of which is invertible.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/inner.hpp"
#include "kernels/dispatch.hpp"

namespace lq::kernels {

LQ_INNER std::uint8_t galois_product(std::uint8_t a, std::uint8_t b) noexcept;
// Inverse of a nonzero number.
LQ_INNER std::uint8_t galois_inverse(std::uint8_t a) noexcept;

// Maximum number of columns plus parities of a code.
inline constexpr std::uint32_t most_code_blocks = 256;
// Factor of column c in parity j; the code has fewer than most_code_blocks columns and parities.
LQ_INNER std::uint8_t parity_factor(std::uint32_t parity, std::uint32_t column) noexcept;

// Inverts `matrix`, n rows of n numbers, in place; false: it is singular.
LQ_INNER bool galois_invert(std::span<std::uint8_t> matrix, std::size_t n);

// Constants, and their products with half bytes. Immutable.
class LQ_INNER ProductTables {
 public:
  explicit ProductTables(std::span<const std::uint8_t> factors, InstructionSet set = active_instruction_set());
  std::size_t count() const noexcept { return tables_.size(); }
  // Adds the products of `from` with each constant to the bytes at to[k].
  void add_products(base::Bytes from, std::byte* const* to) const noexcept;

 private:
  struct alignas(32) Table {
    std::array<std::byte, isa::product_table_bytes> bytes{};
  };
  std::vector<Table> tables_;
  isa::ProductLoop loop_;
};

}  // namespace lq::kernels
