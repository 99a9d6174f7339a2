// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32 against published values and against the definition, bit by bit.
#include "kernels/crc32.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace lq::kernels {
namespace {

using Crc32 = std::uint32_t (*)(std::uint32_t, base::Bytes) noexcept;

class EveryCrc32 : public testing::TestWithParam<Crc32> {};

std::uint32_t bit_by_bit(base::Bytes bytes) {
  std::uint32_t remainder = 0xffffffff;
  for (const std::byte byte : bytes) {
    remainder ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) * 0xedb88320);
  }
  return ~remainder;
}

std::vector<std::byte> noise(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST_P(EveryCrc32, GivesThePublishedValues) {
  EXPECT_EQ(GetParam()(0, {}), 0u);
  EXPECT_EQ(GetParam()(0, base::as_bytes("a")), 0xe8b7be43u);
  EXPECT_EQ(GetParam()(0, base::as_bytes("abc")), 0x352441c2u);
  EXPECT_EQ(GetParam()(0, base::as_bytes("123456789")), 0xcbf43926u);
  EXPECT_EQ(GetParam()(0, base::as_bytes("The quick brown fox jumps over the lazy dog")), 0x414fa339u);
  EXPECT_EQ(GetParam()(0, base::as_bytes(std::string(32, '\0'))), 0x190a55adu);
  EXPECT_EQ(GetParam()(0, base::as_bytes(std::string(32, '\xff'))), 0xff6cab0bu);
}

TEST_P(EveryCrc32, EqualsTheDefinitionAtEveryLengthAndAlignment) {
  const std::vector<std::byte> bytes = noise(300 + 16);
  for (std::size_t start = 0; start < 16; ++start) {
    for (std::size_t length = 0; length <= 300; ++length) {
      const base::Bytes part = base::Bytes(bytes).subspan(start, length);
      ASSERT_EQ(GetParam()(0, part), bit_by_bit(part)) << "start " << start << ", length " << length;
    }
  }
}

TEST_P(EveryCrc32, ContinuesFromEverySplit) {
  const std::vector<std::byte> bytes = noise(300);
  const std::uint32_t whole = bit_by_bit(bytes);
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    const base::Bytes all(bytes);
    ASSERT_EQ(GetParam()(GetParam()(0, all.first(split)), all.subspan(split)), whole) << split;
  }
}

TEST_P(EveryCrc32, HandlesLongData) {
  const std::vector<std::byte> bytes = noise((1 << 20) + 3);
  EXPECT_EQ(GetParam()(0, bytes), bit_by_bit(bytes));
}

INSTANTIATE_TEST_SUITE_P(Implementations, EveryCrc32, testing::Values(crc32, crc32_portable),
                         [](const auto& one) { return std::string(one.index == 0 ? "Chosen" : "Portable"); });

TEST(Crc32Provider, IsOneOfThree) {
  const std::string_view provider = crc32_provider();
  EXPECT_TRUE(provider == "isa-l" || provider == "libdeflate" || provider == "portable") << provider;
}

}  // namespace
}  // namespace lq::kernels
