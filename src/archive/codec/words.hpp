// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Floating-point numbers as integers of the same order, and as bytes of either byte order.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace lq::archive {

template <class T>
using WordOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
inline constexpr unsigned mantissa_bits = sizeof(T) == 8 ? 52 : 23;
template <class T>
inline constexpr unsigned exponent_bits = sizeof(T) == 8 ? 11 : 8;
// The exponent field of numbers in [1/2, 1).
template <class T>
inline constexpr std::int32_t half_exponent = sizeof(T) == 8 ? 1022 : 126;

template <class T>
constexpr std::int32_t exponent_of(WordOf<T> word) noexcept {
  return static_cast<std::int32_t>((word >> mantissa_bits<T>)&((WordOf<T>{1} << exponent_bits<T>)-1));
}

// Consecutive numbers have consecutive ordinals.
template <class T>
constexpr std::int64_t ordinal(WordOf<T> word) noexcept {
  using Signed = std::make_signed_t<WordOf<T>>;
  const auto value = static_cast<Signed>(word);
  return value ^ static_cast<Signed>(static_cast<WordOf<T>>(value >> (8 * sizeof(T) - 1)) >> 1);
}
template <class T>
constexpr WordOf<T> from_ordinal(std::int64_t number) noexcept {
  using Signed = std::make_signed_t<WordOf<T>>;
  const auto value = static_cast<Signed>(number);
  return static_cast<WordOf<T>>(value ^ static_cast<Signed>(static_cast<WordOf<T>>(value >> (8 * sizeof(T) - 1)) >> 1));
}

// Modulo 2^64, because NaNs in links, and numbers of damaged tiles, may have any bits.
constexpr std::int64_t sum(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t difference(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

// One or two instructions; compilers do not always reduce base::load_be() to that.
template <class Word>
constexpr Word swapped(Word word) noexcept {
  if constexpr (sizeof(Word) == 8)
    return __builtin_bswap64(word);
  else
    return __builtin_bswap32(word);
}
template <class Word, bool big>
Word load_word(const std::byte* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return big == (std::endian::native == std::endian::big) ? word : swapped(word);
}
template <class Word, bool big>
void store_word(std::byte* to, Word word) noexcept {
  if (big != (std::endian::native == std::endian::big)) word = swapped(word);
  std::memcpy(to, &word, sizeof word);
}

}  // namespace lq::archive
