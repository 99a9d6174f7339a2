// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The SciDAC checksum against test vectors of the format and against a plain second implementation.
#include "kernels/digest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/crc32.hpp"
#include "support/plain_checksum.hpp"

namespace lq::kernels {
namespace {

using testing::plain_rotated;

void append_float(std::vector<std::byte>& bytes, std::uint64_t number) {
  std::byte four[4];
  base::store_be(four, std::bit_cast<std::uint32_t>(static_cast<float>(number)));
  for (const std::byte byte : four) bytes.push_back(byte);
}

std::vector<std::byte> floats(std::uint64_t count) {
  std::vector<std::byte> bytes;
  for (std::uint64_t i = 0; i < count; ++i) append_float(bytes, i);
  return bytes;
}

// Byte k of site r is (7 r + k) mod 256.
std::vector<std::byte> patterned(std::uint64_t sites, std::uint64_t site_bytes) {
  std::vector<std::byte> bytes;
  for (std::uint64_t r = 0; r < sites; ++r) {
    for (std::uint64_t k = 0; k < site_bytes; ++k) bytes.push_back(static_cast<std::byte>(7 * r + k));
  }
  return bytes;
}

Checksum digest(base::Bytes bytes, std::uint64_t site_bytes, std::uint64_t first = 0, std::uint64_t stride = 1) {
  Checksum sum;
  add_sites(sum, bytes, site_bytes, first, stride);
  return sum;
}

TEST(Digest, OfSixteenFloats) {
  const std::vector<std::byte> bytes = floats(16);
  EXPECT_EQ(crc32(0, base::Bytes(bytes).first(4)), 0x2144df1cu);
  EXPECT_EQ(crc32(0, base::Bytes(bytes).last(4)), 0x561d8814u);
  EXPECT_EQ(digest(bytes, 4), (Checksum{0x0c8e3834, 0x0c8e3834}));
}

TEST(Digest, OfAPatternedGaugeField) {
  const std::vector<std::byte> bytes = patterned(512, 576);
  EXPECT_EQ(crc32(0, base::Bytes(bytes).first(576)), 0x65714d26u);
  EXPECT_EQ(crc32(0, base::Bytes(bytes).last(576)), 0x5007ce2bu);
  EXPECT_EQ(digest(bytes, 576), (Checksum{0x5e8de3fc, 0xa4da5b58}));
}

TEST(Digest, OfAHypercube) {
  Checksum sum;
  for (std::uint64_t z = 0; z < 4; ++z) {
    for (std::uint64_t y = 0; y < 4; ++y) {
      const std::uint64_t rank = 1 + 8 * (y + 4 * (z + 4 * 2));
      std::vector<std::byte> two_sites;
      append_float(two_sites, rank);
      append_float(two_sites, rank + 1);
      add_sites(sum, two_sites, 4, rank, 1);
    }
  }
  EXPECT_EQ(sum, (Checksum{0x42836b09, 0x0cb18463}));
}

TEST(Digest, OfAGlobalRecord) {
  const std::vector<std::byte> bytes = floats(3);
  EXPECT_EQ(digest(bytes, bytes.size()), (Checksum{0x343a3571, 0x343a3571}));
}

TEST(Digest, CancelsInSumaOverTwiceTheRotations) {
  std::vector<std::byte> bytes;
  for (int site = 0; site < 58; ++site) append_float(bytes, 1);
  EXPECT_EQ(digest(bytes, 4), (Checksum{0, 0x5acb3532}));
}

TEST(Digest, RotatesByTheRank) {
  Checksum sum;
  add_site(sum, 30, 0xb7289394);
  EXPECT_EQ(sum, (Checksum{0x6e512729, 0x2dca24e5}));
}

TEST(Digest, DoesNotRotateRankZero) {
  Checksum sum;
  add_site(sum, 0, 0xb7289394);
  EXPECT_EQ(sum, (Checksum{0xb7289394, 0xb7289394}));
}

TEST(Digest, TakesRanksBeyond32Bits) {
  for (const std::uint64_t rank :
       {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 5, (std::uint64_t{1} << 62) + 1}) {
    Checksum sum;
    add_site(sum, rank, 0xb7289394);
    EXPECT_EQ(sum, (Checksum{plain_rotated(0xb7289394, rank % 29), plain_rotated(0xb7289394, rank % 31)})) << rank;
  }
  // 2^32 is 16 mod 29 and 4 mod 31; cut to 32 bits it would be 0.
  Checksum sum;
  add_site(sum, std::uint64_t{1} << 32, 0x00000001);
  EXPECT_EQ(sum, (Checksum{1u << 16, 1u << 4}));
}

TEST(Digest, CountsRanksFromTheFirstByTheStride) {
  const std::vector<std::byte> bytes = patterned(50, 24);
  const std::uint64_t first = (std::uint64_t{1} << 32) - 3;
  const std::uint64_t stride = 1000003;
  Checksum expected;
  for (std::uint64_t k = 0; k < 50; ++k) {
    const std::uint32_t crc = crc32_portable(0, base::Bytes(bytes).subspan(k * 24, 24));
    expected.suma ^= plain_rotated(crc, (first + k * stride) % 29);
    expected.sumb ^= plain_rotated(crc, (first + k * stride) % 31);
  }
  EXPECT_EQ(digest(bytes, 24, first, stride), expected);
}

TEST(Digest, OfPartsCombinesToTheWhole) {
  const std::vector<std::byte> bytes = patterned(101, 12);
  const base::Bytes all(bytes);
  Checksum sum = digest(all.subspan(40 * 12), 12, 40);
  combine(sum, digest(all.first(40 * 12), 12, 0));
  EXPECT_EQ(sum, digest(all, 12));
}

TEST(ZeroSites, AreNoneInFullData) {
  const std::vector<std::byte> bytes(10 * 16, std::byte{1});
  EXPECT_EQ(find_zero_sites(bytes, 16).count, 0u);
}

TEST(ZeroSites, AreCountedWithFirstAndLast) {
  std::vector<std::byte> bytes(10 * 16, std::byte{1});
  std::fill_n(bytes.begin() + 3 * 16, 16, std::byte{0});
  std::fill_n(bytes.begin() + 7 * 16, 2 * 16, std::byte{0});
  const ZeroSites zeros = find_zero_sites(bytes, 16);
  EXPECT_EQ(zeros.count, 3u);
  EXPECT_EQ(zeros.first, 3u);
  EXPECT_EQ(zeros.last, 8u);
}

TEST(ZeroSites, HaveNoOtherByteAnywhere) {
  for (std::size_t at = 0; at < 16; ++at) {
    std::vector<std::byte> bytes(16);
    bytes[at] = std::byte{0x80};
    EXPECT_EQ(find_zero_sites(bytes, 16).count, 0u) << at;
  }
}

TEST(ZeroSites, MayBeOneByteLong) {
  const std::vector<std::byte> bytes = {std::byte{0}, std::byte{1}, std::byte{0}};
  EXPECT_EQ(find_zero_sites(bytes, 1).count, 2u);
}

// One number of site `wrong` of `sites` is `value`, all others 1: with 18 numbers the squares of a site add up to 18.
template <class Real>
std::uint64_t first_beyond_in(std::uint64_t sites, std::uint64_t wrong, std::uint64_t number, Real value,
                              bool big_endian, std::uint64_t first = 0) {
  constexpr std::uint64_t numbers = 18;
  std::vector<std::byte> bytes(sites * numbers * sizeof(Real));
  for (std::uint64_t k = 0; k < sites * numbers; ++k) {
    using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    const auto bits = std::bit_cast<Bits>(k == wrong * numbers + number ? value : Real{1});
    if (big_endian) {
      base::store_be(bytes.data() + k * sizeof(Real), bits);
    } else {
      base::store_le(bytes.data() + k * sizeof(Real), bits);
    }
  }
  return first_beyond(bytes, {numbers, sizeof(Real), big_endian}, first, 18 - 1e-4, 18 + 1e-4);
}

TEST(FirstBeyond, FindsOneWrongNumberWhereverItIs) {
  for (const bool big_endian : {false, true}) {
    for (const std::uint64_t number : {0U, 7U, 16U, 17U}) {
      for (const double value : {1.001, 0.0, -0.5, 1e200, HUGE_VAL, std::nan("")}) {
        EXPECT_EQ(first_beyond_in<double>(9, 5, number, value, big_endian), 5U) << number << ' ' << value;
        EXPECT_EQ(first_beyond_in<float>(9, 5, number, static_cast<float>(value), big_endian), 5U) << number;
      }
    }
  }
}

TEST(FirstBeyond, PassesWhatIsRightAndWhatComesBeforeTheFirst) {
  EXPECT_EQ(first_beyond_in<double>(9, 5, 3, -1.0, true), 9U);
  EXPECT_EQ(first_beyond_in<float>(9, 5, 3, -1.0F, false), 9U);
  EXPECT_EQ(first_beyond_in<double>(9, 5, 3, 2.0, true, 5), 5U);
  EXPECT_EQ(first_beyond_in<double>(9, 5, 3, 2.0, true, 6), 9U);
  EXPECT_EQ(first_beyond_in<double>(9, 5, 3, 2.0, true, 9), 9U);
}

}  // namespace
}  // namespace lq::kernels
