// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// GF(2^8) against multiplication of polynomials bit by bit, the loops of every instruction set against that, and XXH64
// against published values.
#include "kernels/galois.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "kernels/xxh64.hpp"
#include "support/plain_checksum.hpp"

namespace lq::kernels {
namespace {

using testing::random_bytes;

// Schoolbook: shift, add, reduce.
std::uint8_t plain_product(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (unsigned bit = 0; bit < 8; ++bit) sum ^= (b >> bit & 1U) != 0 ? a << bit : 0;
  for (unsigned bit = 15; bit >= 8; --bit) sum ^= (sum >> bit & 1U) != 0 ? 0x11dU << (bit - 8) : 0;
  return static_cast<std::uint8_t>(sum);
}

TEST(Galois, MultipliesAsPolynomialsDo) {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      ASSERT_EQ(galois_product(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)), plain_product(a, b));
    }
    if (a == 0) continue;
    ASSERT_EQ(plain_product(a, galois_inverse(static_cast<std::uint8_t>(a))), 1) << a;
  }
}

// A matrix times its inverse, for what is lost of a code in all sorts of ways.
TEST(Galois, EverySquarePartOfTheParityMatrixCanBeInverted) {
  std::mt19937 random(4711);
  for (int round = 0; round < 300; ++round) {
    const auto parities = static_cast<std::uint32_t>(1 + random() % 40);
    const auto columns = static_cast<std::uint32_t>(1 + random() % (255 - parities));
    const std::size_t n = 1 + random() % std::min(parities, columns);
    std::vector<std::uint32_t> rows(parities), lost(columns);
    for (std::uint32_t i = 0; i < parities; ++i) rows[i] = i;
    for (std::uint32_t i = 0; i < columns; ++i) lost[i] = i;
    std::ranges::shuffle(rows, random);
    std::ranges::shuffle(lost, random);
    std::vector<std::uint8_t> matrix(n * n), inverse;
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < n; ++c) matrix[r * n + c] = parity_factor(rows[r], lost[c]);
    }
    inverse = matrix;
    ASSERT_TRUE(galois_invert(inverse, n));
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < n; ++c) {
        unsigned sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum ^= plain_product(matrix[r * n + k], inverse[k * n + c]);
        ASSERT_EQ(sum, r == c ? 1U : 0U);
      }
    }
  }
  std::vector<std::uint8_t> singular{1, 2, 1, 2};
  EXPECT_FALSE(galois_invert(singular, 2));
}

TEST(ProductTables, AddThePlainProductsWithEveryInstructionSet) {
  const std::vector<std::byte> bytes = random_bytes(1024 + 64);
  std::mt19937 random(1);
  for (const InstructionSet set : instruction_sets_here()) {
    for (std::size_t length = 0; length <= 300; ++length) {
      const std::size_t start = length % 19, count = length % 6;
      std::vector<std::uint8_t> factors(count);
      for (std::uint8_t& factor : factors) factor = static_cast<std::uint8_t>(random());
      const base::Bytes from = base::Bytes(bytes).subspan(start, length);
      std::vector<std::vector<std::byte>> sums(count, random_bytes(length + 8));
      const std::vector<std::vector<std::byte>> before = sums;
      std::vector<std::byte*> to;
      for (std::vector<std::byte>& sum : sums) to.push_back(sum.data() + 3);
      ProductTables(factors, set).add_products(from, to.data());
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t i = 0; i < length + 8; ++i) {
          std::byte expected = before[k][i];
          if (i >= 3 && i < length + 3) {
            expected ^= std::byte{plain_product(factors[k], std::to_integer<unsigned>(from[i - 3]))};
          }
          ASSERT_EQ(sums[k][i], expected) << name(set) << ", length " << length << ", constant " << k << ", byte " << i;
        }
      }
    }
  }
}

// The values that its authors publish and those that other implementations print.
TEST(Xxh64, GivesThePublishedValues) {
  EXPECT_EQ(xxh64({}), 0xef46db3751d8e999U);
  EXPECT_EQ(xxh64(base::as_bytes("a")), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(xxh64(base::as_bytes("abc")), 0x44bc2cf5ad770999U);
  EXPECT_EQ(xxh64(base::as_bytes("Nobody inspects the spammish repetition")), 0xfbcea83c8a378bf1U);
}

TEST(Xxh64, OfBlocksIsThatOfEachOneWithEveryInstructionSet) {
  const std::vector<std::byte> bytes = random_bytes(4096 + 7);
  for (const InstructionSet set : instruction_sets_here()) {
    for (const std::size_t block : std::array<std::size_t, 8>{1, 7, 31, 32, 33, 64, 100, 256}) {
      for (const std::size_t length : {std::size_t{0}, block - 1, block, 7 * block, 8 * block, 8 * block + 1,
                                       16 * block - 1, std::min<std::size_t>(27 * block + 5, 4096)}) {
        const base::Bytes some = base::Bytes(bytes).subspan(7, std::min<std::size_t>(length, 4096));
        std::vector<std::uint64_t> sums((some.size() + block - 1) / block);
        xxh64_of_blocks(some, block, sums, set);
        for (std::size_t k = 0; k < sums.size(); ++k) {
          const std::size_t size = std::min(block, some.size() - k * block);
          ASSERT_EQ(sums[k], xxh64(some.subspan(k * block, size)))
              << name(set) << ", blocks of " << block << ", " << some.size() << " bytes, block " << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lq::kernels
