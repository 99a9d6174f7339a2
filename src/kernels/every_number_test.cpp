// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All kernels over numbers that data of any origin may hold: all exponents with both signs, infinities, NaNs of several
// payloads, subnormal numbers. Each gets memory of exactly the bytes it may touch, between guarded zones. The choice of
// instruction sets is that of the process: CMakeLists.txt runs this once for each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "kernels/crc32.hpp"
#include "kernels/digest.hpp"
#include "kernels/pack.hpp"
#include "kernels/plaquette_rows.hpp"
#include "kernels/site_numbers.hpp"
#include "support/every_number.hpp"
#include "support/guarded.hpp"
#include "support/plain_checksum.hpp"

namespace lq::kernels {
namespace {

using lq::testing::every_number;
using lq::testing::Guarded;

template <class Number>
constexpr Precision precision_named = sizeof(Number) == 4 ? Precision::single : Precision::double_;

// As files hold them.
template <class Number>
Guarded file_of(const std::vector<Number>& numbers, bool big_endian) {
  Guarded bytes(numbers);
  const bool is_swapped = big_endian == (std::endian::native == std::endian::little);
  for (std::size_t k = 0; is_swapped && k < numbers.size(); ++k) {
    std::reverse(bytes.data() + k * sizeof(Number), bytes.data() + (k + 1) * sizeof(Number));
  }
  return bytes;
}

bool same_bits_or_both_nan(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

SquareSum words_in(Guarded& memory) {
  return SquareSum(reinterpret_cast<std::uint64_t*>(memory.data()), square_sum_words);
}

// A sum of one number at a time, so that one that writes elsewhere is found by itself.
template <class Number>
void expect_square_of(Number number) {
  for (const bool big_endian : {false, true}) {
    Guarded words(square_sum_words * sizeof(std::uint64_t));
    Guarded bytes = file_of(std::vector<Number>{number}, big_endian);
    add_squares(words_in(words), bytes.span(), sizeof(Number), big_endian);
    ASSERT_TRUE(words.is_intact()) << number;
    const double square = static_cast<double>(number) * static_cast<double>(number);
    const double value = value_of(words_in(words));
    if (std::isfinite(square)) {
      ASSERT_EQ(value, square) << number;
    } else {
      ASSERT_TRUE(std::isnan(value)) << number;
      ASSERT_EQ(words_in(words)[square_sum_words - 1], 1U) << number;
    }
  }
}

TEST(EveryNumber, HasItsSquareInASumOrMakesItNone) {
  for (const double number : every_number<double>()) expect_square_of(number);
  for (const float number : every_number<float>()) expect_square_of(number);
}

TEST(EveryNumber, IsAMomentumAmongOthersOrMakesTheirActionNone) {
  for (const double number : every_number<double>()) {
    for (std::size_t place = 0; place < 8; ++place) {
      std::vector<double> c{0.5, -1.25, 2, 0.75, -3, 1.5, 0.125, -2.5};
      c[place] = number;
      Guarded words(square_sum_words * sizeof(std::uint64_t));
      Guarded bytes = file_of(c, true);
      add_momentum_action(words_in(words), bytes.span(), sizeof(double), true);
      ASSERT_TRUE(words.is_intact()) << number << " at " << place;
      double action = 3 * (c[0] * c[0] + c[1] * c[1] - c[0] * c[1]);
      for (std::size_t k = 2; k < 8; ++k) action += c[k] * c[k];
      if (std::isfinite(2 * action)) {
        ASSERT_EQ(value_of(words_in(words)), 2 * action) << number << " at " << place;
      } else {
        ASSERT_TRUE(std::isnan(value_of(words_in(words)))) << number << " at " << place;
      }
    }
  }
}

// What one number becomes in memory or in a file of that precision.
template <class From, class To>
void expect_converted(const std::vector<From>& from, const std::vector<To>& to, const std::string& how) {
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t k = 0; k < from.size(); ++k) {
    if constexpr (std::is_same_v<From, To>) {
      ASSERT_EQ(std::memcmp(&from[k], &to[k], sizeof(From)), 0) << how << ", number " << k << ": " << from[k];
    } else {
      ASSERT_TRUE(same_bits_or_both_nan(static_cast<double>(static_cast<To>(from[k])), static_cast<double>(to[k])))
          << how << ", number " << k << ": " << from[k] << " became " << to[k];
    }
  }
}

Checksum plain_checksum(base::Bytes sites, std::size_t site_bytes) {
  Checksum sum;
  for (std::uint64_t rank = 0; rank * site_bytes < sites.size(); ++rank) {
    const std::uint32_t crc = crc32_portable(0, sites.subspan(rank * site_bytes, site_bytes));
    sum.suma ^= lq::testing::plain_rotated(crc, rank % 29);
    sum.sumb ^= lq::testing::plain_rotated(crc, rank % 31);
  }
  return sum;
}

// Out of memory into a file and back, with its checksum, which is that of the bytes in the file.
template <class Memory, class File>
void expect_moved(bool swap, std::uint64_t numbers) {
  std::vector<Memory> memory = every_number<Memory>();
  memory.resize(memory.size() / numbers * numbers);
  const std::uint64_t sites = memory.size() / numbers;
  const SiteForm form{numbers, precision_named<Memory>, precision_named<File>, swap};
  const auto stride = static_cast<std::ptrdiff_t>(numbers * sizeof(Memory));
  const bool is_big = swap == (std::endian::native == std::endian::little);
  for (const InstructionSet set : instruction_sets_here()) {
    const std::string how = std::string(name(set)) + (swap ? " turned, " : ", ") + std::to_string(numbers);
    const SiteCrc crc(numbers * sizeof(File), set);
    Guarded from(memory), file(sites * crc.site_bytes()), back(from.size());
    Checksum written{}, read{}, added{};
    pack_and_sum(form, crc, from.data(), stride, sites, file.data(), 0, 1, written);
    Guarded plain = file_of(file.numbers<File>(), is_big);  // turned once more
    expect_converted(memory, plain.numbers<File>(), how);
    EXPECT_EQ(written, plain_checksum(file.span(), crc.site_bytes())) << how;
    add_sites(added, file.span(), crc, 0, 1);
    EXPECT_EQ(added, written) << how;
    unpack_and_sum(form, crc, file.data(), sites, back.data(), stride, 0, 1, read);
    EXPECT_EQ(read, written) << how;
    expect_converted(plain.numbers<File>(), back.numbers<Memory>(), how);
    EXPECT_TRUE(from.is_intact() && file.is_intact() && back.is_intact()) << how;
    if constexpr (std::is_same_v<Memory, File>) {
      Checksum turned{};
      turn_and_sum(form, crc, file.data(), sites, 0, 1, turned);
      EXPECT_EQ(turned, written) << how;
      EXPECT_TRUE(file.is_intact()) << how;
      expect_converted(memory, file.numbers<Memory>(), how);
    }
  }
}

TEST(EveryNumber, MovesBetweenMemoryAndFilesInAllForms) {
  for (const std::uint64_t numbers : {1U, 3U, 8U, 18U, 72U}) {
    for (const bool swap : {false, true}) {
      expect_moved<double, double>(swap, numbers);
      expect_moved<double, float>(swap, numbers);
      expect_moved<float, double>(swap, numbers);
      expect_moved<float, float>(swap, numbers);
    }
  }
}

template <class Number>
void expect_sums_of_bytes() {
  const std::vector<Number> numbers = every_number<Number>();
  for (const bool big_endian : {false, true}) {
    Guarded bytes = file_of(numbers, big_endian);
    std::uint32_t sum = 0, exclusive = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
      const std::uint32_t word = big_endian ? base::load_be<std::uint32_t>(bytes.data() + at)
                                            : base::load_le<std::uint32_t>(bytes.data() + at);
      sum += word;
      exclusive ^= word;
    }
    EXPECT_EQ(sum_of_words(bytes.span(), big_endian), sum);
    EXPECT_EQ(xor_of_words(bytes.span(), big_endian), exclusive);
    EXPECT_EQ(crc32(0, bytes.span()), crc32_portable(0, bytes.span()));
    EXPECT_TRUE(bytes.is_intact());
  }
}

TEST(EveryNumber, IsBytesToSumsOfBytes) {
  expect_sums_of_bytes<double>();
  expect_sums_of_bytes<float>();
}

// Sites with one number of every kind among small ones: near what they were, or nothing but NaNs.
template <class Number>
void expect_fixed16() {
  for (const Number number : every_number<Number>()) {
    const std::vector<Number> site{Number(0.5), number, Number(-0.25)};
    Guarded memory(site), words(4 * fixed16_words(site.size())), back(memory.size());
    to_fixed16(precision_named<Number>, site.size(), memory.data(), 0, 1, words.data());
    from_fixed16(precision_named<Number>, site.size(), words.data(), 1, back.data(), 0);
    ASSERT_TRUE(memory.is_intact() && words.is_intact() && back.is_intact()) << number;
    const double largest = std::max(0.5, std::fabs(static_cast<double>(number)));
    const bool fits = largest <= static_cast<double>(std::numeric_limits<float>::max());
    const std::vector<Number> found = back.numbers<Number>();
    for (std::size_t k = 0; k < site.size(); ++k) {
      if (!fits || std::isnan(number)) {
        ASSERT_TRUE(std::isnan(found[k])) << number;
      } else {
        ASSERT_LE(std::fabs(static_cast<double>(found[k]) - static_cast<double>(site[k])), largest / 65000) << number;
      }
    }
  }
}

TEST(EveryNumber, IsOneOfASiteOf16BitsOrMakesItNaN) {
  expect_fixed16<double>();
  expect_fixed16<float>();
}

TEST(EveryNumber, IsOneOfASiteInHalfPrecisionOrMakesItNaN) {
  for (const float number : every_number<float>()) {
    const std::vector<float> site{0.5F, number, -0.25F};
    Guarded memory(site), integers(site.size() * sizeof(std::int16_t)), norms(sizeof(float)), back(memory.size());
    to_half(site.size(), memory.data(), 1, reinterpret_cast<std::int16_t*>(integers.data()),
            reinterpret_cast<float*>(norms.data()));
    from_half(site.size(), reinterpret_cast<std::int16_t*>(integers.data()), reinterpret_cast<float*>(norms.data()), 1,
              back.data());
    ASSERT_TRUE(integers.is_intact() && norms.is_intact() && back.is_intact()) << number;
    const float largest = std::max(0.5F, std::fabs(number));
    for (std::size_t k = 0; k < site.size(); ++k) {
      const float found = back.numbers<float>()[k];
      if (!std::isfinite(number)) {
        ASSERT_TRUE(std::isnan(found)) << number;
      } else {
        ASSERT_LE(std::fabs(static_cast<double>(found) - static_cast<double>(site[k])),
                  static_cast<double>(largest) / 65000)
            << number;
      }
    }
  }
}

// Words of a file may be anything: magnitudes and norms of every kind.
TEST(EveryNumber, IsAMagnitudeOrANormInAFile) {
  for (const float magnitude : every_number<float>()) {
    const std::vector<std::uint32_t> stored{std::bit_cast<std::uint32_t>(magnitude), 0x80007fff, 0x00010000};
    Guarded words(stored), doubles(3 * sizeof(double)), floats(3 * sizeof(float));
    from_fixed16(Precision::double_, 3, words.data(), 1, doubles.data(), 0);
    from_fixed16(Precision::single, 3, words.data(), 1, floats.data(), 0);
    ASSERT_TRUE(words.is_intact() && doubles.is_intact() && floats.is_intact()) << magnitude;
    ASSERT_TRUE(same_bits_or_both_nan(doubles.numbers<double>()[1], static_cast<double>(magnitude)));
  }
}

TEST(EveryExponent, IsSharedByAGroupOrSaidToBeBeyondSinglePrecision) {
  constexpr std::size_t group = 10;
  Guarded stored(shared_exponent_bytes(group, group)), values(group * sizeof(float));
  for (std::uint32_t exponent = 0; exponent < 65536; ++exponent) {
    std::ranges::fill(stored.span(), std::byte{0xff});
    base::store_le(stored.data(), static_cast<std::uint16_t>(exponent));
    const bool fits = decode_shared_exponents(stored.span(), group, {reinterpret_cast<float*>(values.data()), group});
    ASSERT_TRUE(stored.is_intact() && values.is_intact()) << exponent;
    const std::vector<float> found = values.numbers<float>();
    ASSERT_EQ(fits, std::ranges::all_of(found, [](float x) { return std::isfinite(x); })) << exponent;
  }
}

template <class Number>
void expect_rebuilt() {
  const std::vector<Number> all = every_number<Number>();
  const std::size_t matrices = all.size() / 18;
  Guarded three(std::vector<Number>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(18 * matrices)));
  rebuild_third_rows(precision_named<Number>, three.data(), matrices);
  EXPECT_TRUE(three.is_intact());
  Guarded two(std::vector<Number>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 8 * 8)));
  rebuild_second_columns(precision_named<Number>, two.data(), all.size() / 8);
  EXPECT_TRUE(two.is_intact());
  const std::vector<Number> found = two.numbers<Number>();
  for (std::size_t k = 0; k < found.size(); k += 8) {
    ASSERT_TRUE(same_bits_or_both_nan(static_cast<double>(found[k + 6]), static_cast<double>(found[k])));
  }
}

TEST(EveryNumber, IsOneOfAMatrixThatIsRebuilt) {
  expect_rebuilt<double>();
  expect_rebuilt<float>();
}

// A term for each site of a row; a sum of them only where all are small.
TEST(EveryNumber, IsATermOfASmallSumOrMakesItNone) {
  for (const double number : every_number<double>()) {
    for (std::size_t place = 0; place < 16; place += 5) {
      Guarded terms(std::vector<double>(16, 0.5));
      std::memcpy(terms.data() + place * sizeof number, &number, sizeof number);
      const auto sum = sum_small_terms(reinterpret_cast<const double*>(terms.data()), 16);
      ASSERT_TRUE(terms.is_intact());
      ASSERT_EQ(sum.has_value(), std::fabs(number) <= 2) << number << " at " << place;
      if (!sum) continue;
      __extension__ using Wide = __int128;
      const Wide steps = static_cast<Wide>(15) * (Wide{1} << 59) + std::llrint(std::ldexp(number, 60));
      ASSERT_TRUE(static_cast<Wide>(sum->high) * (1 << 30) + static_cast<Wide>(sum->low) == steps) << number;
    }
  }
}

// Traces of links with such numbers are what these make of them, in rows of any length.
template <class Number>
void expect_traces(std::size_t sites) {
  constexpr std::size_t colors = 3, dimensions = 2, numbers = 2 * colors * colors * dimensions;
  const std::vector<Number> all = every_number<Number>();
  for (std::size_t first = 0; first + sites * numbers <= all.size(); first += sites * numbers) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    Guarded memory(std::vector<Number>(begin, begin + static_cast<std::ptrdiff_t>(sites * numbers)));
    std::vector<RowLine> row(row_lines(precision_named<Number>, sites, numbers));
    to_row(precision_named<Number>, memory.data(), numbers, sites, row.data());
    PlaquetteRows rows;
    rows.here = row.data();
    rows.above[1] = row.data();
    rows.dimensions = dimensions;
    rows.sites = sites;
    const std::size_t padded = padded_sites(sites);
    Guarded terms(terms_of_site(dimensions) * padded * sizeof(double));
    plaquette_terms(precision_named<Number>, colors, rows, reinterpret_cast<double*>(terms.data()));
    ASSERT_TRUE(memory.is_intact() && terms.is_intact());
    const std::vector<Number> link = memory.numbers<Number>();
    const std::vector<double> found = terms.numbers<double>();
    for (std::size_t s = 0; s < sites; ++s) {
      double trace = 0;
      for (std::size_t i = 0; i < colors; ++i) trace += static_cast<double>(link[s * numbers + 8 * i]);
      ASSERT_TRUE(same_bits_or_both_nan(found[padded + s], trace / 3)) << found[padded + s] << " is not " << trace / 3;
    }
  }
}

TEST(EveryNumber, IsOneOfALinkWithATrace) {
  for (const std::size_t sites : {1U, 3U, 8U, 17U}) {
    expect_traces<double>(sites);
    expect_traces<float>(sites);
  }
}

}  // namespace
}  // namespace lq::kernels
