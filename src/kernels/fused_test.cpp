// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Packing with the checksum against packing (pack_test.cpp) and then the portable CRC-32, rotated in 128 bits, for
// every instruction set that runs here.
#include "kernels/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/crc32.hpp"
#include "support/plain_checksum.hpp"

namespace lq::kernels {
namespace {

constexpr std::byte untouched_byte{0xa5};
constexpr std::uint64_t first_rank = (std::uint64_t{1} << 40) - 5;

std::size_t number_bytes(Precision precision) { return precision == Precision::single ? 4 : 8; }

struct FusedCase {
  SiteForm form;
  std::uint64_t sites;
  std::ptrdiff_t stride;
  std::size_t misalignment;
  std::uint64_t rank_stride;

  std::size_t memory_site() const { return form.numbers * number_bytes(form.memory); }
  std::size_t file_site() const { return form.numbers * number_bytes(form.file); }
  std::size_t first_site() const {
    return misalignment + (stride >= 0 ? 0 : static_cast<std::size_t>(-stride) * (sites - 1));
  }
  std::size_t memory_bytes() const {
    return misalignment + static_cast<std::size_t>(std::abs(stride)) * sites + memory_site() + 32;
  }
  std::size_t file_bytes() const { return misalignment + file_site() * sites + 32; }
  std::string text() const {
    return ::testing::PrintToString(form.numbers) + " numbers " + std::string(name(form.memory)) + "/" +
           std::string(name(form.file)) + " swap " + std::to_string(form.swap) + " sites " + std::to_string(sites) +
           " stride " + std::to_string(stride) + " misalignment " + std::to_string(misalignment);
  }
};

// Component counts of site lengths with and without rests, in all combinations of form and order of sites; alignment
// and rank stride run along.
std::vector<FusedCase> fused_cases() {
  std::vector<FusedCase> all;
  std::size_t turn = 0;
  for (const Precision memory : {Precision::single, Precision::double_}) {
    for (const Precision file : {Precision::single, Precision::double_}) {
      for (const bool swap : {false, true}) {
        for (const std::uint64_t numbers :
             {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 11u, 18u, 24u, 31u, 36u, 72u, 75u, 600u}) {
          const auto dense = static_cast<std::ptrdiff_t>(numbers * number_bytes(memory));
          for (const std::ptrdiff_t stride : {dense, dense + 8, 3 * dense + 3, -dense, -2 * dense - 5}) {
            for (const std::uint64_t sites : {0u, 1u, 3u, 4u, 9u, 71u}) {
              if (sites == 0 && stride < 0) continue;
              const std::uint64_t rank_stride = turn % 3 == 0 ? 1 : turn * 1000003;
              all.push_back({{numbers, memory, file, swap}, sites, stride, turn % 64, rank_stride});
              turn += 5;
            }
          }
        }
      }
    }
  }
  return all;
}

// Numbers of ordinary size in every second place, so that conversions have something to round.
std::vector<std::byte> numbers_of(Precision precision, std::size_t bytes) {
  std::mt19937_64 random(bytes);
  std::vector<std::byte> filled(bytes);
  for (std::size_t at = 0; at + number_bytes(precision) <= bytes; at += number_bytes(precision)) {
    const double number = std::ldexp(static_cast<double>(random() >> 11), -53) - 0.5;
    const auto narrow = static_cast<float>(number);
    if (precision == Precision::single) {
      std::memcpy(filled.data() + at, &narrow, 4);
    } else {
      std::memcpy(filled.data() + at, &number, 8);
    }
  }
  return filled;
}

using testing::plain_rotated;

Checksum sum_of(const std::byte* file, std::size_t site_bytes, std::uint64_t sites, std::uint64_t rank_stride) {
  Checksum sum{0x01234567, 0x89abcdef};
  for (std::uint64_t k = 0; k < sites; ++k) {
    const std::uint32_t crc = crc32_portable(0, {file + k * site_bytes, site_bytes});
    sum.suma ^= plain_rotated(crc, (first_rank + k * rank_stride) % 29);
    sum.sumb ^= plain_rotated(crc, (first_rank + k * rank_stride) % 31);
  }
  return sum;
}

// As <limequat/sums.hpp> says.
WeightedSum weighted_of(const std::byte* file, std::size_t site_bytes, std::uint64_t sites, std::uint64_t rank_stride) {
  WeightedSum sum{1, 2};
  for (std::uint64_t k = 0; k < sites; ++k) {
    const std::uint64_t crc = crc32_portable(0, {file + k * site_bytes, site_bytes});
    sum.plain += crc;
    sum.weighted += crc * (first_rank + k * rank_stride + 1);
  }
  return sum;
}

class Fused : public ::testing::TestWithParam<InstructionSet> {};

TEST_P(Fused, PackingIsPackingAndSumming) {
  for (const FusedCase& c : fused_cases()) {
    const std::vector<std::byte> memory = numbers_of(c.form.memory, c.memory_bytes());
    std::vector<std::byte> file(c.file_bytes(), untouched_byte), expected = file;
    pack_sites(c.form, memory.data() + c.first_site(), c.stride, c.sites, expected.data() + c.misalignment);
    WeightedSum weighted{1, 2};
    Checksum sum{0x01234567, 0x89abcdef};
    pack_and_sum(c.form, SiteCrc(c.file_site(), GetParam()), memory.data() + c.first_site(), c.stride, c.sites,
                 file.data() + c.misalignment, first_rank, c.rank_stride, sum, &weighted);
    ASSERT_EQ(file, expected) << c.text();
    ASSERT_EQ(weighted, weighted_of(expected.data() + c.misalignment, c.file_site(), c.sites, c.rank_stride));
    ASSERT_EQ(sum, sum_of(expected.data() + c.misalignment, c.file_site(), c.sites, c.rank_stride)) << c.text();
  }
}

TEST_P(Fused, UnpackingIsUnpackingAndSumming) {
  for (const FusedCase& c : fused_cases()) {
    std::vector<std::byte> file(c.misalignment);
    const std::vector<std::byte> numbers = numbers_of(c.form.file, c.file_bytes());
    file.insert(file.end(), numbers.begin(), numbers.end());
    if (c.form.swap)
      turn_sites({1, c.form.file, c.form.file, true}, file.data() + c.misalignment, c.form.numbers * c.sites);
    std::vector<std::byte> memory(c.memory_bytes(), untouched_byte), expected = memory;
    unpack_sites(c.form, file.data() + c.misalignment, c.sites, expected.data() + c.first_site(), c.stride);
    WeightedSum weighted{1, 2};
    Checksum sum{0x01234567, 0x89abcdef};
    unpack_and_sum(c.form, SiteCrc(c.file_site(), GetParam()), file.data() + c.misalignment, c.sites,
                   memory.data() + c.first_site(), c.stride, first_rank, c.rank_stride, sum, &weighted);
    ASSERT_EQ(memory, expected) << c.text();
    ASSERT_EQ(weighted, weighted_of(file.data() + c.misalignment, c.file_site(), c.sites, c.rank_stride));
    ASSERT_EQ(sum, sum_of(file.data() + c.misalignment, c.file_site(), c.sites, c.rank_stride)) << c.text();
  }
}

TEST_P(Fused, TurningInPlaceIsSummingAndTurning) {
  for (const FusedCase& c : fused_cases()) {
    if (c.form.memory != c.form.file || c.stride != static_cast<std::ptrdiff_t>(c.memory_site())) continue;
    std::vector<std::byte> bytes = numbers_of(c.form.file, c.file_bytes()), expected = bytes;
    const SiteCrc crc(c.file_site(), GetParam());
    const Checksum expected_sum = sum_of(bytes.data() + c.misalignment, c.file_site(), c.sites, c.rank_stride);
    turn_sites(c.form, expected.data() + c.misalignment, c.sites);
    Checksum sum{0x01234567, 0x89abcdef}, only_summed = sum;
    add_sites(only_summed, {bytes.data() + c.misalignment, c.file_site() * c.sites}, crc, first_rank, c.rank_stride);
    WeightedSum weighted{1, 2};
    const WeightedSum expected_weighted =
        weighted_of(bytes.data() + c.misalignment, c.file_site(), c.sites, c.rank_stride);
    turn_and_sum(c.form, crc, bytes.data() + c.misalignment, c.sites, first_rank, c.rank_stride, sum, &weighted);
    ASSERT_EQ(weighted, expected_weighted) << c.text();
    ASSERT_EQ(bytes, expected) << c.text();
    ASSERT_EQ(sum, expected_sum) << c.text();
    ASSERT_EQ(only_summed, expected_sum) << c.text();
  }
}

// So many that sites of one rotation are gathered; and lengths for which they are not.
TEST_P(Fused, ManySitesThatAreReadGiveTheSameChecksum) {
  constexpr std::uint64_t sites = 1000;
  for (const Precision precision : {Precision::single, Precision::double_}) {
    for (const std::uint64_t numbers : {2u, 4u, 6u, 8u, 10u, 16u, 24u, 32u, 36u, 64u, 72u}) {
      for (const std::uint64_t rank_stride : {1u, 7u, 29u, 31u, 899u, 1000003u}) {
        const SiteForm form{numbers, precision, precision, true};
        const std::size_t site = numbers * number_bytes(precision);
        const std::vector<std::byte> file = numbers_of(precision, 3 + sites * site + 32);
        const std::uint64_t less = numbers % 5;  // so that places in turn have even and odd numbers of sites
        const Checksum expected = sum_of(file.data() + 3, site, sites - less, rank_stride);
        const SiteCrc crc(site, GetParam());
        Checksum turned{0x01234567, 0x89abcdef}, unpacked = turned;
        std::vector<std::byte> bytes = file, plain = file;
        turn_and_sum(form, crc, bytes.data() + 3, sites - less, first_rank, rank_stride, turned);
        turn_sites(form, plain.data() + 3, sites - less);
        ASSERT_EQ(bytes, plain) << numbers;
        ASSERT_EQ(turned, expected) << numbers << " numbers, stride " << rank_stride;
        const auto stride = static_cast<std::ptrdiff_t>(site + 8);
        std::vector<std::byte> memory(sites * (site + 8), untouched_byte), apart = memory;
        unpack_and_sum(form, crc, file.data() + 3, sites - less, memory.data(), stride, first_rank, rank_stride,
                       unpacked);
        unpack_sites(form, file.data() + 3, sites - less, apart.data(), stride);
        ASSERT_EQ(memory, apart) << numbers;
        ASSERT_EQ(unpacked, expected) << numbers << " numbers, stride " << rank_stride;
      }
    }
  }
}

// Sites that have one sum are added up before, turn by turn: whatever is left of the last turns is not forgotten.
TEST_P(Fused, AnyNumberOfSitesThatAreReadGivesTheSameChecksum) {
  for (const Precision precision : {Precision::single, Precision::double_}) {
    const SiteForm form{24, precision, precision, true};
    const std::size_t site = 24 * number_bytes(precision);
    const SiteCrc crc(site, GetParam());
    const std::vector<std::byte> file = numbers_of(precision, 700 * site);
    for (std::uint64_t sites = 512; sites <= 700; ++sites) {
      Checksum turned{0x01234567, 0x89abcdef};
      std::vector<std::byte> bytes = file, plain = file;
      turn_and_sum(form, crc, bytes.data(), sites, first_rank, 5, turned);
      turn_sites(form, plain.data(), sites);
      ASSERT_EQ(bytes, plain) << sites;
      ASSERT_EQ(turned, sum_of(file.data(), site, sites, 5)) << sites;
    }
  }
}

TEST_P(Fused, SummingEqualsThePlainOneAndLeavesOutTheRest) {
  const std::vector<std::byte> bytes = numbers_of(Precision::double_, 40 * 288 + 287);
  Checksum sum, plain;
  add_sites(sum, bytes, SiteCrc(288, GetParam()), 12345678901234, 31 * 29 + 7);
  add_sites(plain, bytes, 288, 12345678901234, 31 * 29 + 7);
  EXPECT_EQ(sum, plain);
  add_sites(sum, bytes, SiteCrc(0, GetParam()), 0, 1);
  EXPECT_EQ(sum, plain);
}

// Sites that are fetched meanwhile: their memory is not changed, nor is what is done to those at hand.
TEST_P(Fused, FetchesMemoryMeanwhile) {
  const FusedCase c{{72, Precision::double_, Precision::double_, true}, 71, 576, 0, 1};
  const std::vector<std::byte> memory = numbers_of(c.form.memory, c.memory_bytes());
  const SiteCrc crc(c.file_site(), GetParam());
  const std::vector<std::int64_t> places{0, -1, 7, 5, -1};
  const std::vector<std::byte> wanted = memory;
  std::vector<std::byte> plain(c.file_bytes()), file(c.file_bytes()), back(c.memory_bytes());
  const auto begin = reinterpret_cast<std::uintptr_t>(wanted.data());
  Checksum expected, sum, read;
  pack_and_sum(c.form, crc, memory.data(), c.stride, c.sites, plain.data(), first_rank, 1, expected);
  std::array<base::PrefetchList, 2> ahead;
  isa::PrefetchPlan coming{ahead.data(), ahead.data() + 2, 2};
  const auto fill = [&] {
    ahead[0] = {begin, 576, 576, places.data(), places.size()};
    ahead[1] = {begin + 5, 16, 64, places.data(), 3};
    coming.next = ahead.data();
  };
  fill();
  pack_and_sum(c.form, crc, memory.data(), c.stride, c.sites, file.data(), first_rank, 1, sum, nullptr, &coming);
  EXPECT_TRUE(file == plain && sum == expected);
  fill();
  unpack_and_sum(c.form, crc, file.data(), c.sites, back.data(), c.stride, first_rank, 1, read, nullptr, &coming);
  EXPECT_EQ(read, expected);
  EXPECT_TRUE(std::equal(back.begin(), back.begin() + 576 * 71, memory.begin()));
  EXPECT_TRUE(wanted == memory);
}

TEST_P(Fused, KeepsEveryBitOfANaNWithinOnePrecision) {
  const std::vector<std::uint64_t> signalling(9, 0x7ff0000000000123);
  const SiteForm form{9, Precision::double_, Precision::double_, true};
  std::vector<std::uint64_t> file(9), back(9);
  Checksum sum;
  pack_and_sum(form, SiteCrc(72, GetParam()), reinterpret_cast<const std::byte*>(signalling.data()), 72, 1,
               reinterpret_cast<std::byte*>(file.data()), 0, 1, sum);
  unpack_and_sum(form, SiteCrc(72, GetParam()), reinterpret_cast<const std::byte*>(file.data()), 1,
                 reinterpret_cast<std::byte*>(back.data()), 72, 0, 1, sum);
  EXPECT_EQ(back, signalling);
  EXPECT_EQ(sum, Checksum{});
}

INSTANTIATE_TEST_SUITE_P(All, Fused, ::testing::ValuesIn(instruction_sets_here()),
                         [](const auto& one) { return std::string(name(one.param)); });

}  // namespace
}  // namespace lq::kernels
