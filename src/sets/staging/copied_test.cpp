// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/staging/sources.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lq::sets {
namespace {

Copied example() {
  return {.source = {.bytes = 2500, .modified = -2, .start_crc = 0x01020304},
          .block_bytes = 1000,
          .blocks = {{2, 0xa0b0c0d0}, {0, 7}}};
}

std::vector<std::byte> encoded(const Copied& copied) {
  std::vector<std::byte> bytes = encode_head(copied);
  const std::vector<std::byte> blocks = encode_blocks(copied.blocks);
  bytes.insert(bytes.end(), blocks.begin(), blocks.end());
  return bytes;
}

// The example of docs/formats/copied.md, whose sums zlib made.
TEST(Copied, HasTheBytesOfTheFormatPage) {
  const std::string page =
      "4c51434f50593031c409000000000000feffffffffffffffe80300000000000004030201aacf5365"
      "0200000000000000d0c0b0a0797a0612"
      "000000000000000007000000d6fe02e6";
  std::string hex;
  for (const std::byte b : encoded(example())) {
    constexpr std::string_view digits = "0123456789abcdef";
    hex += digits[std::to_integer<unsigned>(b) >> 4];
    hex += digits[std::to_integer<unsigned>(b) & 15];
  }
  EXPECT_EQ(hex, page);
}

TEST(Copied, ComesBackFromItsBytes) { EXPECT_EQ(decode_copied(encoded(example())), example()); }

TEST(Copied, CutAnywhereKeepsTheWholeBlocks) {
  const std::vector<std::byte> bytes = encoded(example());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto found = decode_copied(base::Bytes(bytes).first(length));
    ASSERT_EQ(found.has_value(), length >= copied_head_bytes) << length;
    if (!found) continue;
    EXPECT_EQ(found->blocks.size(), (length - copied_head_bytes) / copied_block_bytes) << length;
  }
}

TEST(Copied, AWrongByteEndsWhatIsKnown) {
  const std::vector<std::byte> bytes = encoded(example());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{0x10};
    const auto found = decode_copied(damaged);
    ASSERT_EQ(found.has_value(), i >= copied_head_bytes) << i;
    if (!found) continue;
    EXPECT_EQ(found->blocks.size(), (i - copied_head_bytes) / copied_block_bytes) << i;
  }
}

TEST(Copied, ABlockBeyondTheSourceIsNone) {
  Copied copied = example();
  copied.blocks = {{1, 1}, {3, 1}, {0, 1}};
  const auto found = decode_copied(encoded(copied));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->blocks, (std::vector<CopiedBlock>{{1, 1}}));
}

TEST(Copied, BlocksOfNoBytesAreRefused) {
  Copied copied = example();
  copied.block_bytes = 0;
  copied.blocks.clear();
  EXPECT_FALSE(decode_copied(encoded(copied)));
}

}  // namespace
}  // namespace lq::sets
