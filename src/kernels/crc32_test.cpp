// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32 against published values and against the definition, bit by bit.
#include "kernels/crc32.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/site_crc.hpp"
#include "support/plain_checksum.hpp"

namespace lq::kernels {
namespace {

using Crc32 = std::uint32_t (*)(std::uint32_t, base::Bytes) noexcept;

using testing::plain_crc32;
using testing::random_bytes;

class EveryCrc32 : public ::testing::TestWithParam<Crc32> {};

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
  const std::vector<std::byte> bytes = random_bytes(300 + 16);
  for (std::size_t start = 0; start < 16; ++start) {
    for (std::size_t length = 0; length <= 300; ++length) {
      const base::Bytes part = base::Bytes(bytes).subspan(start, length);
      ASSERT_EQ(GetParam()(0, part), plain_crc32(part)) << "start " << start << ", length " << length;
    }
  }
}

TEST_P(EveryCrc32, ContinuesFromEverySplit) {
  const std::vector<std::byte> bytes = random_bytes(300);
  const std::uint32_t whole = plain_crc32(bytes);
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    const base::Bytes all(bytes);
    ASSERT_EQ(GetParam()(GetParam()(0, all.first(split)), all.subspan(split)), whole) << split;
  }
}

TEST_P(EveryCrc32, HandlesLongData) {
  const std::vector<std::byte> bytes = random_bytes((1 << 20) + 3);
  EXPECT_EQ(GetParam()(0, bytes), plain_crc32(bytes));
}

TEST_P(EveryCrc32, ContinuesAcrossTheBordersOfBlocks) {
  const std::vector<std::byte> bytes = random_bytes(11 * LongCrc32::block_bytes + 5);
  const base::Bytes all(bytes);
  const std::uint32_t whole = plain_crc32(all);
  for (const std::size_t border : {7U, 8U, 9U}) {
    for (const std::ptrdiff_t beside : {-1, 0, 1}) {
      const auto split =
          static_cast<std::size_t>(static_cast<std::ptrdiff_t>(border * LongCrc32::block_bytes) + beside);
      EXPECT_EQ(GetParam()(0, all.first(split)), plain_crc32(all.first(split))) << split;
      EXPECT_EQ(GetParam()(GetParam()(0, all.first(split)), all.subspan(split)), whole) << split;
      EXPECT_EQ(GetParam()(GetParam()(0, all.last(split).first(3)), all.last(split).subspan(3)),
                plain_crc32(all.last(split)))
          << split;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Implementations, EveryCrc32, ::testing::Values(crc32, crc32_portable),
                         [](const auto& one) { return std::string(one.index == 0 ? "Chosen" : "Portable"); });

TEST(LongCrc32, TakesTheWholeBlocksWithEveryInstructionSet) {
  const std::vector<std::byte> bytes = random_bytes(40 * LongCrc32::block_bytes + 1);
  for (const InstructionSet set : instruction_sets_here()) {
    const LongCrc32 blocks(set);
    for (const std::size_t count : {0U, 1U, 2U, 15U, 16U, 17U, 33U, 40U}) {
      const std::size_t taken = count * LongCrc32::block_bytes;
      const base::Bytes part = base::Bytes(bytes).first(taken + 1);
      EXPECT_EQ(blocks.of_blocks(plain_crc32(base::as_bytes("before")), part),
                crc32_portable(plain_crc32(base::as_bytes("before")), part.first(taken)))
          << name(set) << ", " << count << " blocks";
    }
  }
}

TEST(Crc32Streams, OfEveryInstructionSetAreThePortableOne) {
  const std::vector<std::byte> bytes = random_bytes(200);
  for (const InstructionSet set : instruction_sets_here()) {
    const isa::Stream stream = loops_of(set).stream;
    if (stream == nullptr) continue;
    for (std::size_t first = 0; first < 9; ++first) {
      for (std::size_t length = 0; first + length <= bytes.size(); ++length) {
        const base::Bytes part = base::Bytes(bytes).subspan(first, length);
        EXPECT_EQ(stream(0x12345678, part.data(), length), crc32_portable(0x12345678, part)) << name(set);
      }
    }
  }
}

TEST(Crc32Provider, IsTheBestOfFour) {
  const bool has_instruction = loops_of(active_instruction_set()).stream != nullptr;
  const std::string_view provider = crc32_provider();
  EXPECT_TRUE(provider == "isa-l" || provider == "libdeflate" ||
              provider == (has_instruction ? "instruction" : "portable"))
      << provider;
}

}  // namespace
}  // namespace lq::kernels
