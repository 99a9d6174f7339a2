// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32 of sites against the definition, bit by bit, and published values, for every instruction set that runs here.
#include "kernels/site_crc.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "kernels/crc32.hpp"
#include "support/plain_checksum.hpp"

namespace lq::kernels {
namespace {

constexpr std::size_t max_length = 4096;

using testing::plain_crc32_of_beginnings;
using testing::random_bytes;

std::vector<std::uint32_t> crcs_of(const SiteCrc& crc, base::Bytes sites) {
  std::vector<std::uint32_t> crcs(sites.size() / crc.site_bytes());
  crc.of_sites(sites.data(), crcs.size(), crcs.data());
  return crcs;
}

class SiteCrcs : public ::testing::TestWithParam<InstructionSet> {};

TEST_P(SiteCrcs, ArePublishedValues) {
  for (const auto& [text, value] : {std::pair{std::string("a"), 0xe8b7be43u},
                                    {std::string("abc"), 0x352441c2u},
                                    {std::string("123456789"), 0xcbf43926u},
                                    {std::string(32, '\0'), 0x190a55adu},
                                    {std::string(32, '\xff'), 0xff6cab0bu},
                                    {std::string("The quick brown fox jumps over the lazy dog"), 0x414fa339u}}) {
    EXPECT_EQ(crcs_of(SiteCrc(text.size(), GetParam()), base::as_bytes(text)), std::vector{value}) << text;
  }
}

TEST_P(SiteCrcs, AreTheDefinitionAtEveryLength) {
  const std::vector<std::byte> bytes = random_bytes(max_length);
  const std::vector<std::uint32_t> expected = plain_crc32_of_beginnings(bytes);
  std::uint32_t crc = 1;
  SiteCrc(0, GetParam()).of_sites(bytes.data(), 1, &crc);
  EXPECT_EQ(crc, 0u);
  for (std::size_t length = 1; length <= max_length; ++length) {
    ASSERT_EQ(crcs_of(SiteCrc(length, GetParam()), base::Bytes(bytes).first(length)).front(), expected[length])
        << length;
  }
}

TEST_P(SiteCrcs, DependOnNoNeighbourAndNoAlignment) {
  constexpr std::size_t sites = 11;
  const std::vector<std::byte> bytes = random_bytes(sites * max_length + 64);
  for (const std::size_t length : {1u,  4u,  8u,  12u,  15u,  16u,  17u,  24u,  31u,  33u,   48u,
                                   63u, 65u, 96u, 100u, 127u, 192u, 288u, 576u, 580u, 2304u, 4095u}) {
    const SiteCrc crc(length, GetParam());
    for (std::size_t start = 0; start < 64; ++start) {
      const base::Bytes part = base::Bytes(bytes).subspan(start, sites * length);
      const std::vector<std::uint32_t> crcs = crcs_of(crc, part);
      for (std::size_t k = 0; k < sites; ++k) {
        ASSERT_EQ(crcs[k], crc32_portable(0, part.subspan(k * length, length))) << length << " at " << start;
      }
    }
  }
}

TEST_P(SiteCrcs, MayBeOfVeryLongSites) {
  for (const std::size_t length : {16383u, 16384u, 16385u, 100000u}) {
    const std::vector<std::byte> bytes = random_bytes(length);
    EXPECT_EQ(crcs_of(SiteCrc(length, GetParam()), bytes).front(), plain_crc32_of_beginnings(bytes).back()) << length;
  }
}

TEST_P(SiteCrcs, AreMadeByTheInstructionSetAskedFor) {
  const SiteCrc crc(576, GetParam());
  EXPECT_EQ(crc.instruction_set(), GetParam());
  EXPECT_EQ(&crc.loops(), &loops_of(GetParam()));
  EXPECT_EQ(crc.is_dot_product(), GetParam() != InstructionSet::portable);
}

INSTANTIATE_TEST_SUITE_P(All, SiteCrcs, ::testing::ValuesIn(instruction_sets_here()),
                         [](const auto& one) { return std::string(name(one.param)); });

}  // namespace
}  // namespace lq::kernels
