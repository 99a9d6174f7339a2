// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checksums by their definitions, bit by bit and without the tricks of the code under test; and bytes to sum.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/bytes.hpp"

namespace lq::testing {

// The CRC-32 of every beginning of `bytes`, from none of it to all of it.
inline std::vector<std::uint32_t> plain_crc32_of_beginnings(base::Bytes bytes) {
  std::vector<std::uint32_t> crcs = {0};
  std::uint32_t remainder = 0xffffffff;
  for (const std::byte byte : bytes) {
    remainder ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) * 0xedb88320);
    crcs.push_back(~remainder);
  }
  return crcs;
}

inline std::uint32_t plain_crc32(base::Bytes bytes) { return plain_crc32_of_beginnings(bytes).back(); }

// The rotation of SciDAC's checksum without a shift by 32, and no std::rotl.
inline std::uint32_t plain_rotated(std::uint32_t value, std::uint64_t by) {
  const std::uint64_t twice = (std::uint64_t{value} << 32) | value;
  return static_cast<std::uint32_t>(twice >> (32 - by % 32));
}

inline std::vector<std::byte> random_bytes(std::size_t count, std::uint32_t seed = 7) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

}  // namespace lq::testing
