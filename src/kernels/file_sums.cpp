// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/file_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/dispatch.hpp"

namespace lq::kernels {
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

// Polynomials modulo that of the CRC-32; the highest power is the lowest bit, as in the CRC itself.
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

// x^(8 * 2^k): a byte further, two bytes further, four, ...
constexpr std::array<std::uint32_t, 64> make_powers() noexcept {
  std::array<std::uint32_t, 64> powers{};
  powers[0] = one >> 8;
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = product(powers[k - 1], powers[k - 1]);
  return powers;
}

constexpr std::array<std::uint32_t, 64> powers = make_powers();

// The remainder with so many zero bytes after it.
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

Checksum rotated_words(base::Bytes bytes, bool big_endian, std::uint64_t first_word) noexcept {
  Checksum sum;
  auto by29 = static_cast<int>(first_word % 29);
  auto by31 = static_cast<int>(first_word % 31);
  for_each_word(bytes, big_endian, [&](std::uint32_t word) {
    sum.suma ^= std::rotl(word, by29);
    sum.sumb ^= std::rotl(word, by31);
    if (++by29 == 29) by29 = 0;
    if (++by31 == 31) by31 = 0;
  });
  return sum;
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

// The CRC without its initial value and final inversion, which are those of zeros, is linear.
std::uint32_t crc32_contribution(std::uint32_t crc, std::uint64_t bytes, std::uint64_t behind) noexcept {
  return moved(crc ^ crc32_of_zeros(bytes), behind);
}

std::uint32_t crc32_of_zeros(std::uint64_t bytes) noexcept { return ~moved(~std::uint32_t{0}, bytes); }

}  // namespace lq::kernels
