// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums of words and hashes against values from other programs, and CRC-32 in parts against CRC-32 of the whole.
#include "kernels/digest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "kernels/crc32.hpp"

namespace lq::kernels {
namespace {

// Bytes 1, 2, 3, ... , which are the words 01020304, 05060708, ... when they are big-endian.
std::vector<std::byte> counted(std::size_t bytes) {
  std::vector<std::byte> result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<std::byte>(i + 1);
  return result;
}

TEST(FileSums, OfWordsFollowTheByteOrder) {
  EXPECT_EQ(sum_of_words(counted(8), true), 0x01020304U + 0x05060708U);
  EXPECT_EQ(sum_of_words(counted(8), false), 0x04030201U + 0x08070605U);
  EXPECT_EQ(sum_of_words(counted(7), true), 0x01020304U);
  const std::vector<std::byte> ones(12, std::byte{0xff});
  EXPECT_EQ(sum_of_words(ones, true), 0xfffffffdU);  // modulo 2^32
}

// Word by word, rotated in 64 bits.
TEST(FileSums, OfRotatedWordsKnowThePlaceOfEachWord) {
  for (const std::size_t words : {0U, 1U, 28U, 29U, 30U, 31U, 100U, 898U, 899U, 900U, 2 * 899U + 47U, 5000U})
    for (const bool big_endian : {true, false})
      for (const std::uint64_t first : {0ULL, 1ULL, 28ULL, 30ULL, 898ULL, (1ULL << 40) + 7}) {
        std::vector<std::byte> bytes = counted(4 * words + 3);
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] ^= static_cast<std::byte>(i * i / 251);
        Checksum expected;
        for (std::uint64_t i = 0; i < words; ++i) {
          const std::uint64_t word = big_endian ? base::load_be<std::uint32_t>(bytes.data() + 4 * i)
                                                : base::load_le<std::uint32_t>(bytes.data() + 4 * i);
          const std::uint64_t r29 = (first + i) % 29, r31 = (first + i) % 31;
          expected.suma ^= static_cast<std::uint32_t>((word << r29) | (word >> (32 - r29)));
          expected.sumb ^= static_cast<std::uint32_t>((word << r31) | (word >> (32 - r31)));
        }
        EXPECT_EQ(rotated_words(bytes, big_endian, first), expected) << first << " " << words;
      }
}

// Digests by Python's hashlib of struct.pack("<5q", 4, 3, 0, 2, 1) and the numbers in "<6d" and "<6f".
TEST(FileSums, Sha256OfASiteHashesCoordinatesAndNumbers) {
  const std::array<std::int64_t, 4> x{3, 0, 2, 1};
  const std::array<double, 6> numbers{1.5, -2.25, 3.0, 1e-3, 7.0, -0.125};
  constexpr Sha256::Words of_doubles{0x08f5829a, 0x4a574667, 0x289b2cb4, 0xd5007a5e,
                                     0x5aa42a58, 0xb20a0787, 0xec9e2f09, 0x7a322e97};
  constexpr Sha256::Words of_floats{0xcf9e401d, 0x6de2e186, 0x85716e60, 0xad9982ac,
                                    0x28a68997, 0x322ef261, 0xa76ca887, 0xf254c7e4};
  for (const bool big_endian : {false, true}) {
    std::vector<std::byte> doubles(48), floats(24);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto wide = std::bit_cast<std::uint64_t>(numbers[i]);
      const auto narrow = std::bit_cast<std::uint32_t>(static_cast<float>(numbers[i]));
      if (big_endian) {
        base::store_be(doubles.data() + 8 * i, wide);
        base::store_be(floats.data() + 4 * i, narrow);
      } else {
        base::store_le(doubles.data() + 8 * i, wide);
        base::store_le(floats.data() + 4 * i, narrow);
      }
    }
    EXPECT_EQ(sha256_of_site(doubles, 8, big_endian, x), of_doubles);
    EXPECT_EQ(sha256_of_site(floats, 4, big_endian, x), of_floats);
  }
}

TEST(FileSums, Crc32IsTheSumOfItsPartsInAnyOrder) {
  const std::vector<std::byte> bytes = counted(1000);
  const std::array<std::size_t, 6> cuts{0, 1, 64, 65, 900, 1000};
  std::uint32_t sum = crc32_of_zeros(bytes.size());
  for (std::size_t i = cuts.size() - 1; i-- > 0;) {
    const base::Bytes part = base::Bytes(bytes).subspan(cuts[i], cuts[i + 1] - cuts[i]);
    sum ^= crc32_contribution(crc32_portable(0, part), part.size(), bytes.size() - cuts[i + 1]);
  }
  EXPECT_EQ(sum, crc32_portable(0, bytes));
  EXPECT_EQ(crc32_of_zeros(5), crc32_portable(0, std::vector<std::byte>(5)));
}

TEST(FileSums, XorOfWordsDoesNotDependOnTheByteOrderOfNumbers) {
  std::vector<std::byte> big, little;
  std::uint32_t expected = 0;
  for (std::uint64_t k = 1; k <= 9; ++k) {
    const std::uint64_t number = k * 0x9e3779b97f4a7c15;
    expected ^= static_cast<std::uint32_t>(number) ^ static_cast<std::uint32_t>(number >> 32);
    std::array<std::byte, 8> bytes;
    base::store_be(bytes.data(), number);
    big.insert(big.end(), bytes.begin(), bytes.end());
    base::store_le(bytes.data(), number);
    little.insert(little.end(), bytes.begin(), bytes.end());
  }
  EXPECT_EQ(xor_of_words(big, true), expected);
  EXPECT_EQ(xor_of_words(little, false), expected);
}

// Sites of any size, turned in pieces.
TEST(FileSums, HashesOfBigEndianSitesAreThoseOfLittleEndianOnes) {
  for (const std::size_t size : {4U, 8U}) {
    for (const std::size_t numbers : {1U, 63U, 64U, 65U, 128U, 129U, 288U}) {
      std::vector<std::byte> little(numbers * size), big(numbers * size);
      for (std::size_t i = 0; i < little.size(); ++i) {
        little[i] = static_cast<std::byte>(i * 7 + i / 256);
        big[i / size * size + size - 1 - i % size] = little[i];
      }
      const std::array<std::int64_t, 2> x{3, 4};
      EXPECT_EQ(sha256_of_site(big, size, true, x), sha256_of_site(little, size, false, x)) << numbers;
    }
  }
}

}  // namespace
}  // namespace lq::kernels
