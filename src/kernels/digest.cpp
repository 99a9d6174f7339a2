// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checksum and zero scan of sites in file form.
#include "kernels/digest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/float_environment.hpp"
#include "kernels/crc32.hpp"
#include "kernels/dispatch.hpp"

namespace lq::kernels {
namespace {

// The first byte is zero and every byte equals its predecessor; memcmp stops at the first difference.
bool is_zero(const std::byte* site, std::size_t bytes) noexcept {
  return site[0] == std::byte{0} && std::memcmp(site, site + 1, bytes - 1) == 0;
}

}  // namespace

void add_sites(Checksum& sum, base::Bytes bytes, std::uint64_t site_bytes, std::uint64_t first_rank,
               std::uint64_t rank_stride) noexcept {
  if (site_bytes == 0) return;
  std::uint64_t rank = first_rank;
  for (std::size_t at = 0; bytes.size() - at >= site_bytes; at += site_bytes, rank += rank_stride) {
    add_site(sum, rank, crc32(0, bytes.subspan(at, site_bytes)));
  }
}

ZeroSites find_zero_sites(base::Bytes bytes, std::uint64_t site_bytes) noexcept {
  ZeroSites zeros;
  if (site_bytes == 0) return zeros;
  const std::uint64_t sites = bytes.size() / site_bytes;
  for (std::uint64_t site = 0; site < sites; ++site) {
    if (!is_zero(bytes.data() + site * site_bytes, site_bytes)) continue;
    if (zeros.count == 0) zeros.first = site;
    zeros.last = site;
    ++zeros.count;
  }
  return zeros;
}

std::uint64_t first_beyond(base::Bytes bytes, const SiteNumbers& form, std::uint64_t first, double least,
                           double most) noexcept {
  const std::uint64_t site_bytes = form.numbers * form.number_bytes;
  if (site_bytes == 0) return 0;
  const std::uint64_t sites = bytes.size() / site_bytes;
  if (first >= sites) return sites;
  const bool is_swapped = form.big_endian == (std::endian::native == std::endian::little);
  const auto& loops = loops_of(active_instruction_set()).first_beyond[form.number_bytes == sizeof(float) ? 0 : 1];
  return first + loops[is_swapped ? 1 : 0](bytes.data() + first * site_bytes, static_cast<std::size_t>(form.numbers),
                                           static_cast<std::size_t>(sites - first), least, most);
}

namespace {

template <class Work>
void for_each_word(base::Bytes bytes, bool big_endian, Work&& work) noexcept {
  const std::byte* const end = bytes.data() + bytes.size() / 4 * 4;
  if (big_endian) {
    for (const std::byte* at = bytes.data(); at != end; at += 4) work(base::load_be<std::uint32_t>(at));
  } else {
    for (const std::byte* at = bytes.data(); at != end; at += 4) work(base::load_le<std::uint32_t>(at));
  }
}

// Polynomials modulo the CRC-32 polynomial; the highest power is the lowest bit, as in the CRC itself.
constexpr std::uint32_t polynomial = 0xedb88320;
constexpr std::uint32_t one = 0x80000000;

constexpr std::uint32_t times_x(std::uint32_t a) noexcept { return (a >> 1) ^ ((a & 1) != 0 ? polynomial : 0); }

constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t result = 0;
  for (std::uint32_t bit = one; bit != 0; bit >>= 1, b = times_x(b)) {
    if ((a & bit) != 0) result ^= b;
  }
  return result;
}

// x^(8 * 2^k): shifts by one byte, two bytes, four, ...
constexpr std::array<std::uint32_t, 64> make_powers() noexcept {
  std::array<std::uint32_t, 64> powers{};
  powers[0] = one >> 8;
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = product(powers[k - 1], powers[k - 1]);
  return powers;
}

constexpr std::array<std::uint32_t, 64> powers = make_powers();

// The remainder after `bytes` zero bytes are appended.
std::uint32_t moved(std::uint32_t remainder, std::uint64_t bytes) noexcept {
  for (std::size_t k = 0; bytes != 0; ++k, bytes >>= 1) {
    if ((bytes & 1) != 0) remainder = product(remainder, powers[k]);
  }
  return remainder;
}

}  // namespace

std::uint32_t sum_of_words(base::Bytes bytes, bool big_endian) noexcept {
  const bool is_swapped = big_endian == (std::endian::native == std::endian::little);
  return loops_of(active_instruction_set()).sum_words[is_swapped ? 1 : 0](bytes.data(), bytes.size() / 4);
}

namespace {

// Exclusive or of the words to the slots in turn, from the first slot on.
template <std::size_t slots>
void add_in_turn(std::array<std::uint32_t, slots>& sums, const std::byte* words, std::size_t count) noexcept {
  std::array<std::uint32_t, slots> row;
  for (; count >= slots; count -= slots, words += sizeof row) {
    std::memcpy(row.data(), words, sizeof row);
    for (std::size_t i = 0; i < slots; ++i) sums[i] ^= row[i];
  }
  std::memcpy(row.data(), words, count * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < count; ++i) sums[i] ^= row[i];
}

// The words of a slot are rotated alike, so once in the end.
template <std::size_t slots>
std::uint32_t rotated(const std::array<std::uint32_t, slots>& sums, bool big_endian, std::uint64_t first) noexcept {
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&sums[i]);
    const auto word = big_endian ? base::load_be<std::uint32_t>(bytes) : base::load_le<std::uint32_t>(bytes);
    all ^= std::rotl(word, static_cast<int>((first + i) % slots));
  }
  return all;
}

}  // namespace

Checksum rotated_words(base::Bytes bytes, bool big_endian, std::uint64_t first_word) noexcept {
  std::array<std::uint32_t, 29> by29{};
  std::array<std::uint32_t, 31> by31{};
  constexpr std::size_t period = 29 * 31;  // words after which both begin again; they stay in the cache
  const std::size_t words = bytes.size() / sizeof(std::uint32_t);
  for (std::size_t at = 0; at < words; at += period) {
    const std::byte* const piece = bytes.data() + at * sizeof(std::uint32_t);
    const std::size_t count = std::min(period, words - at);
    add_in_turn(by29, piece, count);
    add_in_turn(by31, piece, count);
  }
  return {rotated(by29, big_endian, first_word), rotated(by31, big_endian, first_word)};
}

std::uint32_t xor_of_words(base::Bytes bytes, bool big_endian) noexcept {
  std::uint32_t words = 0;
  for_each_word(bytes, big_endian, [&](std::uint32_t word) { words ^= word; });
  return words;
}

Sha256::Words sha256_of_site(base::Bytes site, std::size_t number_bytes, bool big_endian,
                             std::span<const std::int64_t> coordinates, bool is_padded) noexcept {
  Sha256 hash;
  const auto add_integer = [&hash](std::uint64_t value) {
    std::array<std::byte, 8> bytes;
    base::store_le(bytes.data(), value);
    hash.add(bytes);
  };
  add_integer(coordinates.size());
  for (const std::int64_t x : coordinates) add_integer(static_cast<std::uint64_t>(x));
  const std::size_t hashed_bytes = is_padded ? std::max<std::size_t>(number_bytes, 8) : number_bytes;
  if (!big_endian && hashed_bytes == number_bytes) {
    hash.add(site);
    return hash.finish();
  }
  constexpr std::size_t numbers_at_once = 64;
  std::array<std::byte, 8 * numbers_at_once> hashed{};
  while (!site.empty()) {
    const std::size_t numbers = std::min(site.size() / number_bytes, numbers_at_once);
    for (std::size_t k = 0; k < numbers; ++k) {
      const base::Bytes number = site.subspan(k * number_bytes, number_bytes);
      for (std::size_t i = 0; i < number_bytes; ++i) {
        hashed[k * hashed_bytes + i] = number[big_endian ? number_bytes - 1 - i : i];
      }
    }
    hash.add({hashed.data(), numbers * hashed_bytes});
    site = site.subspan(numbers * number_bytes);
  }
  return hash.finish();
}

// Without its initial value and final inversion (which contribute what zeros would), the CRC is linear.
std::uint32_t crc32_contribution(std::uint32_t crc, std::uint64_t bytes, std::uint64_t behind) noexcept {
  return moved(crc ^ crc32_of_zeros(bytes), behind);
}

std::uint32_t crc32_of_zeros(std::uint64_t bytes) noexcept { return ~moved(~std::uint32_t{0}, bytes); }

namespace {

constexpr std::size_t digits = square_sum_words - 1;
constexpr int lowest =
    -1088;  // exponent of the first digit, a multiple of 32 below the exponent of the smallest number
constexpr std::uint64_t below = 0xffffffff;
constexpr std::size_t before_carry = 1U << 16;  // squares added between two carries
constexpr int no_number = 0x7ff;                // exponent field of infinities and NaNs
// The largest finite square ends within the digits.
static_assert((no_number - 1 - 1075 - lowest) / 32 + 2 < static_cast<int>(digits));

double number_at(const std::byte* at, std::size_t bytes, bool big_endian) noexcept {
  if (bytes == 4) {
    return std::bit_cast<float>(big_endian ? base::load_be<std::uint32_t>(at) : base::load_le<std::uint32_t>(at));
  }
  return std::bit_cast<double>(big_endian ? base::load_be<std::uint64_t>(at) : base::load_le<std::uint64_t>(at));
}

void add(SquareSum sum, double square) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(square);
  // Squares have no sign, but NaNs may have one, such as the 0/0 of x86.
  const auto exponent = static_cast<int>(bits >> 52 & no_number);
  if (exponent == no_number) {
    ++sum[digits];
    return;
  }
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const auto place = static_cast<unsigned>((exponent == 0 ? 1 : exponent) - 1075 - lowest);
  const std::size_t digit = place / 32;
  const unsigned shift = place % 32;
  // 53 bits, shifted by up to 31, are in three digits.
  const std::uint64_t low = mantissa & below, high = mantissa >> 32;
  const std::uint64_t first = low << shift, second = high << shift;
  sum[digit] += first & below;
  sum[digit + 1] += (first >> 32) + (second & below);
  sum[digit + 2] += second >> 32;
}

void carry(SquareSum sum) noexcept {
  for (std::size_t k = 0; k + 1 < digits; ++k) {
    sum[k + 1] += sum[k] >> 32;
    sum[k] &= below;
  }
}

}  // namespace

void add_squares(SquareSum sum, base::Bytes numbers, std::size_t number_bytes, bool big_endian) noexcept {
  std::size_t waiting = 0;
  for (std::size_t at = 0; at + number_bytes <= numbers.size(); at += number_bytes) {
    const double number = number_at(numbers.data() + at, number_bytes, big_endian);
    add(sum, number * number);
    if (++waiting % before_carry == 0) carry(sum);
  }
  carry(sum);
}

void add_momentum_action(SquareSum sum, base::Bytes numbers, std::size_t number_bytes, bool big_endian) noexcept {
  constexpr std::size_t coefficients = 8;
  const std::size_t matrix = coefficients * number_bytes;
  std::size_t waiting = 0;
  for (std::size_t at = 0; at + matrix <= numbers.size(); at += matrix) {
    std::array<double, coefficients> c{};
    for (std::size_t k = 0; k < coefficients; ++k) {
      c[k] = number_at(numbers.data() + at + k * number_bytes, number_bytes, big_endian);
    }
    // Not below half of the two squares, whatever the rounding.
    double action = 3 * (c[0] * c[0] + c[1] * c[1] - c[0] * c[1]);
    for (std::size_t k = 2; k < coefficients; ++k) action += c[k] * c[k];
    add(sum, std::abs(2 * action));
    if (++waiting % before_carry == 0) carry(sum);
  }
  carry(sum);
}

double value_of(std::span<const std::uint64_t, square_sum_words> sum) noexcept {
  const base::DefaultFloatEnvironment as_in_the_format;
  if (sum[digits] != 0) return std::numeric_limits<double>::quiet_NaN();
  std::array<std::uint64_t, square_sum_words> carried{};
  std::copy(sum.begin(), sum.end(), carried.begin());
  carry(carried);
  double value = 0;
  // From the lowest digit; the rounding error of each addition is far below the following digits.
  for (std::size_t k = 0; k < digits; ++k) {
    value += std::ldexp(static_cast<double>(carried[k]), lowest + 32 * static_cast<int>(k));
  }
  return value;
}

}  // namespace lq::kernels
