// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums of parts and of the whole, however the sites come: the SciDAC checksum against its published vectors, the other
// kinds against plain loops over all sites.
#include "engine/site_packer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "kernels/crc32.hpp"
#include "kernels/digest.hpp"
#include "kernels/sha256.hpp"
#include "lattice/site_order.hpp"
#include "support/every_number.hpp"
#include "support/thread_comm.hpp"

namespace lq::engine {
namespace {

// Byte k of site r is (7r + k) & 255; 576 bytes per site on 4x4x4x8.
Payload vector_payload() {
  Payload payload;
  payload.spec = gauge_spec(Precision::double_, 3, 4);
  payload.spec.numbers = 72;
  payload.extents = {4, 4, 4, 8};
  payload.stored = whole(payload.extents);
  return payload;
}

std::vector<std::byte> vector_bytes() {
  std::vector<std::byte> bytes(512 * 576);
  for (std::size_t r = 0; r < 512; ++r) {
    for (std::size_t k = 0; k < 576; ++k) bytes[r * 576 + k] = static_cast<std::byte>((7 * r + k) & 255);
  }
  return bytes;
}

constexpr SumName of_field{SumKind::scidac, SumOf::field}, of_slices{SumKind::scidac, SumOf::slices};

const SitePacker& packer() {
  static const SitePacker one(vector_payload(), Precision::double_, SiteSums(vector_payload(), {of_field}));
  return one;
}

TEST(SiteSums, TotalIsThePublishedChecksumHoweverTheSitesArrive) {
  const std::vector<std::byte> bytes = vector_bytes();
  for (std::size_t step : {1U, 5U, 64U, 100U, 512U}) {
    SiteSums sums(vector_payload(), {of_field, of_slices});
    for (std::size_t site = 0; site < 512; site += step) {
      const std::size_t n = std::min(step, 512 - site);
      packer().sum(base::Bytes(bytes).subspan(site * 576, n * 576), {site, n, site, 1}, sums);
    }
    EXPECT_EQ(sums.total(), (Checksum{0x5e8de3fc, 0xa4da5b58}));
    EXPECT_EQ(sums.values().checksum(), (Checksum{0x5e8de3fc, 0xa4da5b58}));
    EXPECT_EQ(sums.values().slices().size(), 8U);
  }
}

TEST(SiteSums, OfASliceAreTheSumsOfItsSitesAlone) {
  const std::vector<std::byte> bytes = vector_bytes();
  SiteSums sums(vector_payload(), {of_slices});
  packer().sum(bytes, {0, 512, 0, 1}, sums);
  Checksum third;
  kernels::add_sites(third, base::Bytes(bytes).subspan(3 * 64 * 576, 64 * 576), 576, 3 * 64, 1);
  EXPECT_EQ(sums.values().slices().at(3), third);
}

TEST(SiteSums, OfTooManySlicesAreKeptInAllOnly) {
  Payload payload = vector_payload();
  payload.extents = {1, 1, 1, std::int64_t{1} << 40};
  payload.stored = whole(payload.extents);
  const SiteSums sums(payload, {of_field, of_slices});
  EXPECT_TRUE(sums.values().slices().empty());
  EXPECT_TRUE(sums.values().checksum().has_value());
}

TEST(SiteSums, NoneAreTakenWhereNoneAreWanted) {
  const SiteSums sums(vector_payload(), {});
  EXPECT_FALSE(sums.needs_crc());
  EXPECT_TRUE(sums.values().all.empty());
}

TEST(SiteSums, OfALatticeOfOneSliceAreThoseOfThatSlice) {
  Payload payload = vector_payload();
  payload.extents = {4, 4, 32, 1};
  payload.stored = whole(payload.extents);
  SiteSums sums(payload, {of_field, of_slices});
  SitePacker(payload, Precision::double_, sums).sum(vector_bytes(), {0, 512, 0, 1}, sums);
  ASSERT_EQ(sums.values().slices().size(), 1U);
  EXPECT_EQ(sums.values().slices().front(), sums.values().checksum());
}

// Two sites whose ranks differ by 899 = 29 * 31 are rotated alike: exchanged, they leave the SciDAC checksum as it is.
TEST(SiteSums, WeightedKnowExchangedSitesThatTheSciDacChecksumDoesNot) {
  Payload payload;
  payload.spec = generic_spec(Precision::double_, 3, false);
  payload.extents = {10, 10, 10};
  payload.stored = whole(payload.extents);
  const std::vector<SumName> wanted{of_field, {SumKind::weighted, SumOf::field}, {SumKind::weighted, SumOf::slices}};
  std::vector<std::byte> bytes(1000 * 24);
  std::mt19937 random(7);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  const auto sums_of = [&] {
    SiteSums sums(payload, wanted);
    SitePacker(payload, Precision::double_, sums).sum(bytes, {0, 1000, 0, 1}, sums);
    return sums.values();
  };
  const Sums before = sums_of();
  std::swap_ranges(bytes.begin() + 5 * 24, bytes.begin() + 6 * 24, bytes.begin() + (5 + 899) * 24);
  const Sums after = sums_of();
  EXPECT_EQ(before.checksum(), after.checksum());
  EXPECT_NE(*before.find(wanted[1]), *after.find(wanted[1]));
  const std::vector<std::uint32_t>& slices_before = before.find(wanted[2])->words;
  const std::vector<std::uint32_t>& slices_after = after.find(wanted[2])->words;
  for (std::size_t slice = 0; slice < 10; ++slice) {
    const bool is_same = std::equal(slices_before.begin() + static_cast<std::ptrdiff_t>(4 * slice),
                                    slices_before.begin() + static_cast<std::ptrdiff_t>(4 * slice + 4),
                                    slices_after.begin() + static_cast<std::ptrdiff_t>(4 * slice));
    EXPECT_EQ(is_same, slice != 0 && slice != 9) << slice;
  }
}

// Every kind by the plainest loop over the sites of a file.
struct PlainSums {
  const Payload& payload;
  base::Bytes bytes;

  std::vector<std::uint32_t> operator()(SumKind kind, std::uint64_t first, std::uint64_t end) const {
    const std::size_t size = static_cast<std::size_t>(payload.spec.site_bytes());
    const SiteOrder order = lattice::resolve_order(payload.order, payload.extents.size());
    Checksum pair, words, turned;
    std::uint64_t plain = 0, weighted = 0;
    std::uint32_t nersc = 0;
    std::vector<std::uint32_t> hash(8), padded_hash(8);
    for (std::uint64_t site = first; site < end; ++site) {
      const base::Bytes one = bytes.subspan(site * size, size);
      const Coord x = lattice::site_at(site, payload.stored, order);
      const std::uint64_t rank = lattice::site_rank(x, payload.extents), crc = kernels::crc32_portable(0, one);
      kernels::add_site(pair, rank, static_cast<std::uint32_t>(crc));
      plain += crc;
      weighted += crc * (rank + 1);
      std::uint32_t of_site = 0;
      for (std::size_t k = 0; k < size / 4; ++k) {
        const std::uint64_t number = site * (size / 4) + k;
        const auto word = payload.byte_order == ByteOrder::big ? base::load_be<std::uint32_t>(one.data() + 4 * k)
                                                               : base::load_le<std::uint32_t>(one.data() + 4 * k);
        nersc += word;
        of_site ^= word;
        words.suma ^= std::rotl(word, static_cast<int>(number % 29));
        words.sumb ^= std::rotl(word, static_cast<int>(number % 31));
      }
      turned.suma ^= std::rotl(of_site, static_cast<int>(rank % 29));
      turned.sumb ^= std::rotl(of_site, static_cast<int>(rank % 31));
      add_hash(hash, x, one, payload.spec.number_bytes());
      add_hash(padded_hash, x, one, 8);
    }
    const auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); };
    const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    switch (kind) {
      case SumKind::scidac:
        return {pair.suma, pair.sumb};
      case SumKind::weighted:
        return {high(plain), low(plain), high(weighted), low(weighted)};
      case SumKind::nersc:
        return {nersc};
      case SumKind::milc:
        return {words.suma, words.sumb};
      case SumKind::sha256:
        return hash;
      case SumKind::sha256_padded:
        return padded_hash;
      case SumKind::pyquda:
        return {turned.suma, turned.sumb};
      case SumKind::crc32:
        return {kernels::crc32_portable(0, bytes.subspan(first * size, (end - first) * size))};
      case SumKind::norm:
      case SumKind::momentum_action:
        break;  // of numbers rather than bits: below
    }
    return {};
  }

  // Each number little-endian, in the given number of bytes, zeros after it.
  void add_hash(std::vector<std::uint32_t>& hash, const Coord& x, base::Bytes site, std::size_t bytes_each) const {
    std::vector<std::byte> text;
    const auto append = [&](std::uint64_t value, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) text.push_back(static_cast<std::byte>(i < 8 ? value >> (8 * i) : 0));
    };
    append(static_cast<std::uint64_t>(x.size()), 8);
    for (const std::int64_t one : x) append(static_cast<std::uint64_t>(one), 8);
    const auto size = static_cast<std::size_t>(payload.spec.number_bytes());
    for (std::size_t at = 0; at < site.size(); at += size) {
      const bool is_big = payload.byte_order == ByteOrder::big;
      std::uint64_t number = 0;
      for (std::size_t i = 0; i < size; ++i) {
        number |= std::to_integer<std::uint64_t>(site[at + i]) << (8 * (is_big ? size - 1 - i : i));
      }
      append(number, bytes_each);
    }
    kernels::Sha256 one;
    one.add(text);
    const kernels::Sha256::Words words = one.finish();
    for (std::size_t i = 0; i < 8; ++i) hash[i] ^= words[i];
  }
};

constexpr SumKind every_kind[] = {SumKind::scidac, SumKind::weighted, SumKind::nersc,  SumKind::milc,
                                  SumKind::sha256, SumKind::crc32,    SumKind::pyquda, SumKind::sha256_padded};

// A lattice of 168 sites, whose 25-site tiles divide neither it nor its slices.
Payload payload_in(ByteOrder byte_order, const SiteOrder& order, Precision precision) {
  Payload payload;
  payload.spec = generic_spec(precision, 5, false);
  payload.extents = {7, 4, 6};
  payload.stored = whole(payload.extents);
  payload.order = order;
  payload.byte_order = byte_order;
  payload.tile_sites = 25;
  return payload;
}

Sums plain_sums(const Payload& payload, base::Bytes bytes) {
  const std::uint64_t all = payload.stored.volume();
  const std::uint64_t slice = all / (payload.order.empty() ? 6 : 4);
  const PlainSums plain{payload, bytes};
  Sums sums;
  for (const SumKind kind : every_kind) {
    for (const auto& [of, sites] : {std::pair{SumOf::field, all}, {SumOf::slices, slice}, {SumOf::tiles, 25}}) {
      if (of == SumOf::tiles && (kind == SumKind::scidac || kind == SumKind::weighted)) continue;
      Sum sum{{kind, of}};
      for (std::uint64_t first = 0; first < all; first += sites) {
        const auto value = plain(kind, first, std::min(first + sites, all));
        sum.words.insert(sum.words.end(), value.begin(), value.end());
      }
      sums.set(sum);
    }
  }
  return sums;
}

// What falls to one of three ranks: pieces of one and two sites, some of them after each other, not in file order.
std::vector<engine::Run> runs_of(const Payload& payload, int rank) {
  std::vector<engine::Run> mine;
  lattice::Rows rows({payload.extents, payload.stored, payload.order, payload.stored, {}, payload.stored});
  Piece piece;
  for (int turn = 0; rows.next(piece.row);) {
    for (piece.skip = 0; piece.skip < piece.row.sites; piece.skip += piece.sites) {
      piece.sites = std::min<std::uint64_t>(1 + piece.skip % 2, piece.row.sites - piece.skip);
      if (turn++ / 4 % 3 == rank) mine.emplace_back(piece);
    }
  }
  std::reverse(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(mine.size() / 2));
  return mine;
}

std::vector<std::byte> random_sites(const Payload& payload) {
  std::vector<std::byte> bytes(payload.stored.volume() * payload.spec.site_bytes());
  std::mt19937 random(3);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

void expect_sums(const Payload& payload, base::Bytes bytes, const Sums& expected) {
  const auto site_bytes = static_cast<std::size_t>(payload.spec.site_bytes());
  lq::testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    SiteSums sums(payload, expected.names());
    const SitePacker one(payload, payload.spec.precision, sums);
    std::vector<std::byte> unpacked(2 * site_bytes);
    for (const engine::Run& run : runs_of(payload, comm->rank())) {
      one.unpack(bytes.data() + run.file_site * site_bytes, run, unpacked.data(),
                 static_cast<std::ptrdiff_t>(site_bytes), sums);
    }
    std::vector<comm::Term> terms(sums.terms());
    sums.tell(terms);
    comm->combine(terms);
    sums.take(terms);
    EXPECT_EQ(sums.values(), expected);
  });
}

TEST(SiteSums, OfEveryKindAreThoseOfPlainLoops) {
  for (const ByteOrder byte_order : {ByteOrder::big, ByteOrder::little}) {
    for (const SiteOrder& order : {SiteOrder{}, SiteOrder{2, 0, 1}}) {
      for (const Precision precision : {Precision::single, Precision::double_}) {
        const Payload payload = payload_in(byte_order, order, precision);
        const std::vector<std::byte> bytes = random_sites(payload);
        expect_sums(payload, bytes, plain_sums(payload, bytes));
      }
    }
  }
}

// Whole numbers, whose squares add up exactly.
TEST(SiteSums, OfKindNormAddUpTheSquaresOfTheNumbersOfTheFieldAndOfSlices) {
  for (const ByteOrder byte_order : {ByteOrder::big, ByteOrder::little}) {
    Payload payload;
    payload.spec = generic_spec(Precision::single, 3, false);
    payload.extents = {4, 3, 2};
    payload.stored = whole(payload.extents);
    payload.byte_order = byte_order;
    std::vector<std::byte> bytes(24 * payload.site_bytes());
    std::vector<double> expected(2);
    for (std::size_t k = 0; k < 72; ++k) {
      const auto number = static_cast<float>(k) - 11;
      const auto word = std::bit_cast<std::uint32_t>(number);
      byte_order == ByteOrder::big ? base::store_be(bytes.data() + 4 * k, word)
                                   : base::store_le(bytes.data() + 4 * k, word);
      expected[k / 36] += double{number} * double{number};
    }
    const SumName whole_norm{SumKind::norm, SumOf::field}, slice_norms{SumKind::norm, SumOf::slices};
    SiteSums sums(payload, {whole_norm, slice_norms});
    const SitePacker packer(payload, Precision::single, sums);
    const auto add = [&](std::size_t first, std::size_t count) {
      packer.sum(base::Bytes(bytes).subspan(12 * first, 12 * count), {first, count, first, 1}, sums);
    };
    add(20, 4);
    add(0, 7);
    add(7, 13);
    const auto value = [&](const SumName& name, std::size_t k) {
      const std::vector<std::uint32_t> words = sums.values().find(name)->words;
      return std::bit_cast<double>(std::uint64_t{words.at(2 * k)} << 32 | words.at(2 * k + 1));
    };
    EXPECT_EQ(value(whole_norm, 0), expected[0] + expected[1]);
    EXPECT_EQ(value(slice_norms, 0), expected[0]);
    EXPECT_EQ(value(slice_norms, 1), expected[1]);
  }
}

// Each array of a site's numbers by itself, as if it were a field.
TEST(SiteSums, OfArraysAreThoseOfTheirNumbersAlone) {
  for (const ByteOrder byte_order : {ByteOrder::big, ByteOrder::little}) {
    for (const Precision precision : {Precision::single, Precision::double_}) {
      Payload payload = payload_in(byte_order, {2, 0, 1}, precision);
      payload.spec.numbers = 6;
      payload.arrays = 3;
      const std::vector<std::byte> bytes = random_sites(payload);
      Payload part = payload;
      part.spec.numbers = 2;
      const auto part_bytes = static_cast<std::size_t>(part.spec.site_bytes());
      Sums expected;
      for (const SumKind kind : {SumKind::sha256, SumKind::sha256_padded, SumKind::pyquda}) {
        Sum sum{{kind, SumOf::arrays}};
        for (std::size_t a = 0; a < 3; ++a) {
          std::vector<std::byte> numbers;
          for (std::size_t at = a * part_bytes; at < bytes.size(); at += 3 * part_bytes) {
            const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
            numbers.insert(numbers.end(), first, first + static_cast<std::ptrdiff_t>(part_bytes));
          }
          const auto value = PlainSums{part, numbers}(kind, 0, payload.stored.volume());
          sum.words.insert(sum.words.end(), value.begin(), value.end());
        }
        expected.set(sum);
      }
      expect_sums(payload, bytes, expected);
    }
  }
}

TEST(SiteSums, OfArraysAreOfKindsThatAreMadeOfSites) {
  EXPECT_THROW(SiteSums(vector_payload(), {{SumKind::scidac, SumOf::arrays}}), Error);
  EXPECT_THROW(SiteSums(vector_payload(), {{SumKind::nersc, SumOf::arrays}}), Error);
  Payload payload = vector_payload();
  payload.arrays = 4;
  EXPECT_THROW(SiteSums(payload, {{SumKind::nersc, SumOf::tiles}}), Error);
}

TEST(SiteSums, OfCrcsAreNotKeptForTiles) {
  EXPECT_THROW(SiteSums(vector_payload(), {{SumKind::scidac, SumOf::tiles}}), Error);
}

// A number that has no square spoils the sum that it is in, and no other: those of the next slices lie after it.
TEST(SiteSums, OfSquaresAreSpoiltWhereTheOddNumberIsAndNowhereElse) {
  for (const SumKind kind : {SumKind::norm, SumKind::momentum_action}) {
    Payload payload;
    payload.spec = generic_spec(Precision::double_, 8, false);
    payload.extents = {2, 2, 3};
    payload.stored = whole(payload.extents);
    payload.byte_order = ByteOrder::little;
    for (const double odd : lq::testing::every_number<double>()) {
      std::vector<double> numbers(12 * 8, 0.5);
      numbers[11] = odd;  // of the first slice
      std::vector<std::byte> bytes(numbers.size() * sizeof(double));
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        base::store_le(bytes.data() + 8 * k, std::bit_cast<std::uint64_t>(numbers[k]));
      }
      const SumName by_slices{kind, SumOf::slices};
      SiteSums sums(payload, {by_slices});
      SitePacker(payload, Precision::double_, sums).sum(bytes, {0, 12, 0, 1}, sums);
      const std::vector<std::uint32_t> words = sums.values().find(by_slices)->words;
      const auto value = [&](std::size_t slice) {
        return std::bit_cast<double>(std::uint64_t{words[2 * slice]} << 32 | words[2 * slice + 1]);
      };
      ASSERT_EQ(value(1), kind == SumKind::norm ? 8.0 : 4 * 4.5) << odd;
      ASSERT_EQ(value(2), value(1)) << odd;
      ASSERT_EQ(std::isfinite(value(0)), std::isfinite((kind == SumKind::norm ? 1 : 2) * odd * odd)) << odd;
    }
  }
}

}  // namespace
}  // namespace lq::engine
