// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/cksum.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lq::ensemble {
namespace {

std::uint32_t cksum(std::string_view text) {
  Cksum sum;
  sum.add(base::as_bytes(text));
  return sum.value();
}

// As the text of POSIX says it, bit by bit.
std::uint32_t bit_by_bit(const std::vector<std::byte>& bytes) {
  std::uint32_t crc = 0;
  const auto add = [&](std::uint32_t byte) {
    crc ^= byte << 24;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc >> 31) != 0 ? 0x04c11db7U : 0U);
  };
  for (const std::byte byte : bytes) add(static_cast<std::uint32_t>(byte));
  for (std::size_t rest = bytes.size(); rest > 0; rest >>= 8) add(rest & 0xff);
  return ~crc;
}

// What the program cksum of GNU coreutils prints.
TEST(PosixCksum, IsThatOfTheProgram) {
  EXPECT_EQ(cksum(""), 4294967295U);
  EXPECT_EQ(cksum("123456789"), 930766865U);
  EXPECT_EQ(cksum("a\n"), 2418082923U);
}

TEST(PosixCksum, AgreesWithItsDefinitionHoweverItIsFed) {
  std::mt19937 random(1);
  for (const std::size_t length : {1U, 7U, 8U, 255U, 256U, 4095U, 4096U, 4097U, 70001U}) {
    std::vector<std::byte> bytes(length);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0xff);
    Cksum whole, pieces;
    whole.add(bytes);
    for (std::size_t at = 0; at < length;) {
      const std::size_t count = std::min<std::size_t>(length - at, random() % 5000 + 1);
      pieces.add(base::Bytes(bytes).subspan(at, count));
      at += count;
    }
    EXPECT_EQ(whole.value(), bit_by_bit(bytes)) << length;
    EXPECT_EQ(pieces.value(), whole.value()) << length;
  }
}

}  // namespace
}  // namespace lq::ensemble
