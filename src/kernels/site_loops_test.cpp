// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The loops over sites as they are written once for all widths, with vectors of plain C++: what they do in a width
// that this machine's instruction sets lack is tested, too.
#include "kernels/isa/stripe_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/crc32.hpp"
#include "kernels/site_crc.hpp"

namespace lq::kernels {
namespace {

// A vector of any number of lanes in plain C++: the loops in every width, also those that this machine lacks.
template <std::size_t lanes>
struct PlainRegister {
  std::uint64_t words[2 * lanes];
};

template <std::size_t lanes>
struct PlainVector {
  using Reg = PlainRegister<lanes>;
  using Lane = PlainVector<1>;
  template <std::size_t>
  using Dividing = PlainVector;
  static constexpr std::size_t bytes = 16 * lanes;

  static Reg zero() noexcept { return {}; }
  static Reg load(const void* from) noexcept {
    Reg a;
    std::memcpy(&a, from, sizeof a);
    return a;
  }
  static void store(void* to, Reg a) noexcept { std::memcpy(to, &a, sizeof a); }
  static Reg add(Reg a, Reg b) noexcept {
    for (std::size_t i = 0; i < 2 * lanes; ++i) a.words[i] ^= b.words[i];
    return a;
  }
  static Reg both(Reg a, Reg b) noexcept {
    for (std::size_t i = 0; i < 2 * lanes; ++i) a.words[i] &= b.words[i];
    return a;
  }
  static Reg repeated(const void* lane) noexcept {
    Reg a;
    for (std::size_t i = 0; i < lanes; ++i) std::memcpy(&a.words[2 * i], lane, 16);
    return a;
  }
  static Reg looked_up(Reg table, Reg places) noexcept {
    Reg found;
    const auto* const from = reinterpret_cast<const unsigned char*>(&table);
    const auto* const at = reinterpret_cast<const unsigned char*>(&places);
    auto* const to = reinterpret_cast<unsigned char*>(&found);
    for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i / 16 * 16 + at[i]];
    return found;
  }
  static Reg lowered_by_4(Reg a) noexcept {
    for (std::size_t i = 0; i < 2 * lanes; ++i) a.words[i] >>= 4;
    return a;
  }
  static Reg product(Reg a, Reg b, std::size_t half) noexcept {
    Reg sum{};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t factor = a.words[2 * lane + half];
      for (int bit = 0; bit < 64; ++bit) {
        if (((b.words[2 * lane + half] >> bit) & 1) == 0) continue;
        sum.words[2 * lane] ^= factor << bit;
        if (bit > 0) sum.words[2 * lane + 1] ^= factor >> (64 - bit);
      }
    }
    return sum;
  }
  static Reg low_low(Reg a, Reg b) noexcept { return product(a, b, 0); }
  static Reg high_high(Reg a, Reg b) noexcept { return product(a, b, 1); }
  static Reg high(Reg a) noexcept {
    for (std::size_t lane = 0; lane < lanes; ++lane) a.words[2 * lane] = a.words[2 * lane + 1];
    return a;
  }
  static Reg same(std::uint64_t word) noexcept {
    Reg a;
    for (std::uint64_t& each : a.words) each = word;
    return a;
  }
  static PlainRegister<1> folded(Reg a) noexcept {
    PlainRegister<1> sum{};
    for (std::size_t i = 0; i < 2 * lanes; ++i) sum.words[i % 2] ^= a.words[i];
    return sum;
  }
  static Reg joined(const PlainRegister<1>* parts) noexcept { return load(parts); }
  static Reg add_lane(Reg a, PlainRegister<1> b) noexcept {
    for (std::size_t i = 0; i < 2; ++i) a.words[i] ^= b.words[i];
    return a;
  }
  static Reg load_half(const void* from) noexcept {
    Reg a{};
    std::memcpy(&a, from, 8);
    return a;
  }
  static void store_half(void* to, Reg a) noexcept { std::memcpy(to, &a, 8); }
  template <std::size_t piece>
  static Reg gathered(std::byte* const* pieces, std::ptrdiff_t offset) noexcept {
    unsigned char all[bytes];
    for (std::size_t k = 0; k < bytes / piece; ++k) std::memcpy(all + k * piece, pieces[k] + offset, piece);
    return load(all);
  }
  template <std::size_t piece>
  static void scatter(std::byte* const* pieces, std::ptrdiff_t offset, Reg a) noexcept {
    unsigned char all[bytes];
    store(all, a);
    for (std::size_t k = 0; k < bytes / piece; ++k) std::memcpy(pieces[k] + offset, all + k * piece, piece);
  }
  template <std::size_t number_bytes>
  static Reg turned(Reg a) noexcept {
    unsigned char in[bytes], out[bytes];
    store(in, a);
    for (std::size_t i = 0; i < bytes; ++i)
      out[i] = in[i / number_bytes * number_bytes + number_bytes - 1 - i % number_bytes];
    return load(out);
  }
};

std::vector<std::byte> patterned(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * i * 31 % 251 + i / 251);
  return bytes;
}

template <std::size_t lanes>
void expect_crcs_in_width() {
  using V = PlainVector<lanes>;
  constexpr std::size_t sites = 6;
  const std::vector<std::byte> bytes = patterned(sites * 640);
  for (std::size_t length = 4; length <= 640; length += length < 200 ? 4 : 44) {
    const SiteCrc crc(length, InstructionSet::pclmul);
    std::vector<std::byte> turned(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(sites * length));
    const auto stride = static_cast<std::ptrdiff_t>(length);
    std::uint32_t read[sites], back[sites];
    isa::loops_of<V>().sum_turn[0](crc.table(), {turned.data(), stride, turned.data(), stride, sites}, read);
    isa::loops_of<V>().turn_sum[0](crc.table(), {turned.data(), stride, turned.data(), stride, sites}, back);
    ASSERT_TRUE(std::equal(turned.begin(), turned.end(), bytes.begin())) << length;
    for (std::size_t k = 0; k < sites; ++k) {
      const std::uint32_t expected = crc32_portable(0, base::Bytes(bytes).subspan(k * length, length));
      ASSERT_EQ(read[k], expected) << length;
      ASSERT_EQ(back[k], expected) << length;
    }
  }
}

// Four links of SU(3) in arrays of their own, to the bytes of a file and back.
template <std::size_t lanes>
void expect_links_in_width() {
  constexpr std::size_t sites = 6, link = 144, site = 4 * link, number = 8;
  const isa::Loops loops = isa::loops_of<PlainVector<lanes>>();
  const SiteCrc crc(site, InstructionSet::pclmul);
  std::vector<std::byte> memory = patterned(sites * site), file(sites * site), expected(sites * site);
  std::vector<isa::Stripe> stripes;
  std::vector<std::int64_t> places;
  for (std::size_t d = 0; d < 4; ++d) stripes.push_back({memory.data() + d * sites * link, d * link, link});
  for (std::size_t k = 0; k < sites; ++k) {
    places.push_back(static_cast<std::int64_t>((sites - 1 - k) * link / number));
    for (std::size_t i = 0; i < site; ++i) {
      const std::size_t turned = i % link / number * number + number - 1 - i % number;
      expected[k * site + i] = memory[(i / link * sites + sites - 1 - k) * link + turned];
    }
  }
  struct alignas(isa::cache_line) Line {
    std::byte bytes[isa::cache_line];
  };
  std::vector<Line> sums(sites);
  std::uint32_t crcs[sites];
  const isa::StripeRun run{.stripes = stripes.data(),
                           .count = stripes.size(),
                           .places = places.data(),
                           .number_bytes = number,
                           .sites = sites,
                           .file = file.data(),
                           .site_bytes = site,
                           .sums = sums.data(),
                           .crcs = crcs};
  const auto expect_crcs = [&] {
    for (std::size_t k = 0; k < sites; ++k) {
      ASSERT_EQ(crcs[k], crc32_portable(0, base::Bytes(expected).subspan(k * site, site))) << lanes << " lanes";
    }
  };
  loops.take_stripes[1].any(crc.table(), run);
  ASSERT_TRUE(file == expected) << lanes << " lanes";
  expect_crcs();
  const std::vector<std::byte> before = memory;
  std::ranges::fill(memory, std::byte{});
  loops.give_stripes[1].any(crc.table(), run);
  ASSERT_TRUE(memory == before) << lanes << " lanes";
  expect_crcs();
}

TEST(SiteLoops, OfEveryWidthGiveTheSame) {
  if (!SiteCrc(4, InstructionSet::pclmul).is_dot_product()) GTEST_SKIP() << "tables are made on x86-64 only";
  expect_crcs_in_width<1>();
  expect_crcs_in_width<2>();
  expect_crcs_in_width<4>();
  expect_links_in_width<1>();
  expect_links_in_width<2>();
  expect_links_in_width<4>();
}

}  // namespace
}  // namespace lq::kernels
