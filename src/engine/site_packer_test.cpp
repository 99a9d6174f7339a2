// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites whose numbers stand in another order in the file, or of which it lacks some, against plain loops over numbers.
#include "engine/site_packer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace lq::engine {
namespace {

constexpr std::uint64_t packed_sites = 500;  // more than are put in order at once

Payload payload_with(std::vector<std::uint32_t> order, Precision precision, ByteOrder byte_order) {
  Payload payload;
  payload.spec = generic_spec(precision, 30, false);
  payload.extents = {10, 50};
  payload.stored = whole(payload.extents);
  payload.byte_order = byte_order;
  payload.codec.order = std::move(order);
  return payload;
}

std::vector<std::uint32_t> shuffled(std::size_t kept) {
  std::vector<std::uint32_t> order(30);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  order.resize(kept);
  return order;
}

// Numbers that single precision holds exactly.
double value(std::uint64_t site, std::uint64_t number) { return static_cast<double>(site * 32 + number) / 4; }

double number_at(const std::byte* at, const Payload& payload) {
  const bool is_big = payload.byte_order == ByteOrder::big;
  if (payload.spec.precision == Precision::single) {
    return std::bit_cast<float>(is_big ? base::load_be<std::uint32_t>(at) : base::load_le<std::uint32_t>(at));
  }
  return std::bit_cast<double>(is_big ? base::load_be<std::uint64_t>(at) : base::load_le<std::uint64_t>(at));
}

template <class Memory>
void expect_there_and_back(const Payload& payload, Precision memory_precision, const std::vector<SumName>& wanted) {
  constexpr std::size_t stride = 33;  // numbers from site to site in memory
  std::vector<Memory> memory(packed_sites * stride, -1);
  for (std::uint64_t site = 0; site < packed_sites; ++site) {
    for (std::uint64_t n = 0; n < 30; ++n) memory[site * stride + n] = static_cast<Memory>(value(site, n));
  }
  SiteSums sums(payload, wanted), back_sums(payload, wanted), plain_sums(payload, wanted);
  const SitePacker packer(payload, memory_precision, sums);
  std::vector<std::byte> file(packed_sites * payload.site_bytes());
  constexpr std::ptrdiff_t step = stride * sizeof(Memory);
  packer.pack(reinterpret_cast<const std::byte*>(memory.data()), step, {0, packed_sites, 0, 1}, file.data(), sums);
  const std::vector<std::uint32_t>& order = payload.codec.order;
  for (std::uint64_t site = 0, k = 0; site < packed_sites; ++site) {
    for (const std::uint32_t n : order) {
      ASSERT_EQ(number_at(file.data() + k++ * payload.spec.number_bytes(), payload), value(site, n)) << site;
    }
  }
  packer.sum(file, {0, packed_sites, 0, 1}, plain_sums);
  EXPECT_EQ(sums.values(), plain_sums.values());

  std::vector<Memory> back(packed_sites * stride, -1);
  packer.unpack(file.data(), {0, packed_sites, 0, 1}, reinterpret_cast<std::byte*>(back.data()), step, back_sums);
  EXPECT_EQ(back_sums.values(), plain_sums.values());
  for (std::size_t i = 0; i < back.size(); ++i) {
    const bool is_kept = std::ranges::find(order, i % stride) != order.end();
    ASSERT_EQ(back[i], is_kept ? memory[i] : Memory{-1}) << i;
  }
}

TEST(SitePacker, PutsNumbersIntoTheOrderOfTheFileAndBack) {
  const std::vector<SumName> all{{SumKind::scidac}, {SumKind::weighted}, {SumKind::nersc}, {SumKind::crc32}};
  for (const std::vector<SumName>& wanted : {all, std::vector<SumName>{}, {{SumKind::milc}}}) {
    for (const std::size_t kept : {30U, 7U}) {
      for (const Precision file : {Precision::single, Precision::double_}) {
        for (const ByteOrder byte_order : {ByteOrder::big, ByteOrder::little}) {
          const Payload payload = payload_with(shuffled(kept), file, byte_order);
          expect_there_and_back<float>(payload, Precision::single, wanted);
          expect_there_and_back<double>(payload, Precision::double_, wanted);
        }
      }
    }
  }
}

// Sites before `counted_from` are packed and not summed, also where they pass through a buffer.
TEST(SitePacker, SumsFromTheSiteOnThatIsSaid) {
  const Payload payload = payload_with(shuffled(30), Precision::double_, ByteOrder::big);
  const std::vector<SumName> wanted{{SumKind::scidac}, {SumKind::nersc}};
  std::vector<double> memory(packed_sites * 30);
  std::iota(memory.begin(), memory.end(), 1.0);
  SiteSums part(payload, wanted), expected(payload, wanted);
  const SitePacker packer(payload, Precision::double_, part);
  std::vector<std::byte> file(packed_sites * 240);
  packer.pack(reinterpret_cast<const std::byte*>(memory.data()), 240, {0, packed_sites, 0, 1}, file.data(), part, 123);
  packer.sum(base::Bytes(file).subspan(123 * 240), {123, packed_sites - 123, 123, 1}, expected);
  EXPECT_EQ(part.values(), expected.values());
}

// Two rows of diagonal matrices diag(e^ia, e^ib, e^-i(a+b)), the third rebuilt.
TEST(SitePacker, MakesThirdRowsAnew) {
  Payload payload;
  payload.spec = gauge_spec(Precision::double_, 3, 2);
  payload.extents = {5};
  payload.stored = whole(payload.extents);
  for (std::uint32_t link = 0; link < 2; ++link) {
    for (std::uint32_t n = 0; n < 12; ++n) payload.codec.order.push_back(18 * link + n);
  }
  payload.codec.third_rows_missing = true;
  std::vector<double> memory(5 * 36);
  for (std::size_t matrix = 0; matrix < 10; ++matrix) {
    const double a = 0.1 * static_cast<double>(matrix), b = 1.0 - a, angles[] = {a, b, -a - b};
    for (std::size_t i = 0; i < 3; ++i) {
      memory[18 * matrix + 8 * i] = std::cos(angles[i]);
      memory[18 * matrix + 8 * i + 1] = std::sin(angles[i]);
    }
  }
  SiteSums sums(payload, {});
  const SitePacker packer(payload, Precision::double_, sums);
  std::vector<std::byte> file(5 * 24 * 8);
  ASSERT_EQ(payload.site_bytes(), 24U * 8);
  packer.pack(reinterpret_cast<const std::byte*>(memory.data()), 288, {0, 5, 0, 1}, file.data(), sums);
  std::vector<double> back(memory.size(), 9);
  packer.unpack(file.data(), {0, 5, 0, 1}, reinterpret_cast<std::byte*>(back.data()), 288, sums);
  for (std::size_t i = 0; i < back.size(); ++i) ASSERT_NEAR(back[i], memory[i], 1e-15) << i;
}

// Whoever packs by other means hands over the CRC-32 of each site, and its bytes for the sums of other kinds.
TEST(SitePacker, SumsSitesWhoseCrcsAreKnown) {
  Payload payload = payload_with({}, Precision::double_, ByteOrder::big);
  std::vector<std::byte> file(packed_sites * payload.site_bytes());
  std::ranges::generate(file, [random = std::mt19937(7)]() mutable { return static_cast<std::byte>(random()); });
  const kernels::SiteCrc crc(payload.site_bytes());
  std::vector<std::uint32_t> crcs(packed_sites);
  crc.of_sites(file.data(), packed_sites, crcs.data());
  const std::vector<SumName> wanted = {{SumKind::scidac, SumOf::field},
                                       {SumKind::scidac, SumOf::slices},
                                       {SumKind::weighted, SumOf::slices},
                                       {SumKind::nersc, SumOf::field}};
  for (const std::uint64_t counted_from : {0U, 3U, 127U, 500U}) {
    // They begin and end within a slice of ten.
    constexpr std::uint64_t begin = 23, sites = 454;
    SiteSums known(payload, wanted), expected(payload, wanted);
    const SitePacker packer(payload, Precision::double_, known);
    const auto bytes_from = [&](std::uint64_t site) {
      return base::Bytes(file).subspan(site * payload.site_bytes(), (begin + sites - site) * payload.site_bytes());
    };
    packer.sum(std::span(crcs).subspan(begin, sites), bytes_from(begin), {begin, sites, 5, 2}, known, counted_from);
    const std::uint64_t first = std::clamp<std::uint64_t>(counted_from, begin, begin + sites);
    packer.sum(bytes_from(first), {first, begin + sites - first, 5 + 2 * (first - begin), 2}, expected);
    EXPECT_EQ(known.values(), expected.values()) << counted_from;
  }
}

}  // namespace
}  // namespace lq::engine
