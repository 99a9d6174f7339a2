// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A damaged byte is found from the change of the two sums alone.
#include "io/damage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "kernels/crc32.hpp"
#include "kernels/digest.hpp"

namespace lq::io {
namespace {

std::vector<std::byte> random_bytes(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(n);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// How the CRC-32 of any message changes if the byte `bytes_after` bytes before its end changes by `e`: as that of zeros.
std::uint32_t crc_change(std::uint8_t e, std::uint64_t bytes_after) {
  std::vector<std::byte> bytes(1 + bytes_after);
  const std::uint32_t before = kernels::crc32(0, bytes);
  bytes[0] = std::byte{e};
  return kernels::crc32(0, bytes) ^ before;
}

TEST(SingleByte, IsAmongTheSolutionsWhateverSiteAndByte) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    const std::uint64_t site_bytes = 8 + random() % 600;
    std::vector<std::byte> site = random_bytes(site_bytes, static_cast<std::uint32_t>(trial));
    const std::uint64_t rank = random() % (std::uint64_t{1} << 40);
    const std::uint64_t byte = random() % site_bytes;
    const auto change = static_cast<std::uint8_t>(1 + random() % 255);
    Checksum sum;
    kernels::add_site(sum, rank, kernels::crc32(0, site));
    site[byte] ^= std::byte{change};
    kernels::add_site(sum, rank, kernels::crc32(0, site));

    const std::vector<SingleByte> solutions = solve_single_byte(sum, site_bytes);
    EXPECT_TRUE(std::ranges::any_of(solutions, [&](const SingleByte& s) {
      return s.rank_mod_899 == rank % 899 && s.byte_of_site == byte && s.change == change;
    }));
    EXPECT_LE(solutions.size(), 8U);  // bytes with a zero low CRC byte look like their shifted neighbours
  }
}

// A site's rank has no remainder of 29 by 29: a change that only that would explain is of more than one byte.
TEST(SingleByte, EverySolutionExplainsTheChange) {
  constexpr std::uint64_t site_bytes = 24;
  const std::uint32_t crc = crc_change(0x40, 5);
  for (int a = 0; a < 32; ++a) {
    for (int b = 0; b < 31; ++b) {
      const Checksum change{std::rotl(crc, a), std::rotl(crc, b)};
      for (const SingleByte& found : solve_single_byte(change, site_bytes)) {
        const std::uint32_t explained = crc_change(found.change, site_bytes - 1 - found.byte_of_site);
        EXPECT_EQ(std::rotl(explained, static_cast<int>(found.rank_mod_899 % 29)), change.suma) << a << " " << b;
        EXPECT_EQ(std::rotl(explained, static_cast<int>(found.rank_mod_899 % 31)), change.sumb) << a << " " << b;
      }
    }
  }
}

TEST(SingleByte, DoesNotExplainTheDamageOfManySites) {
  Checksum sum;
  for (std::uint64_t rank = 0; rank < 40; ++rank) {
    kernels::add_site(sum, rank, kernels::crc32(0, random_bytes(576, static_cast<std::uint32_t>(rank))));
  }
  EXPECT_TRUE(solve_single_byte(sum, 576).empty());
}

}  // namespace
}  // namespace lq::io
