// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the encoder and the decoder of links share: symbols, links as bytes and as lanes of numbers, wide vectors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "archive/codec/link_batch.hpp"
#include "archive/codec/words.hpp"
#include "base/processor.hpp"

// The same loops once more for processors with wide vectors and shifts by any amount: a function that is marked takes
// what it calls into itself. Both give the same bits, for nothing is contracted or reordered.

#if defined(LQ_X86_64)
#define LQ_WIDE [[gnu::target("avx2,bmi,bmi2"), gnu::flatten]]

namespace lq::archive {

// LQ_FORCE_ISA=portable keeps to what every processor has.
inline bool is_wide() noexcept {
  static const bool result = [] {
    const char* const forced = std::getenv("LQ_FORCE_ISA");
    return !(forced != nullptr && std::string_view(forced) == "portable") && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  }();
  return result;
}

}  // namespace lq::archive
#endif

namespace lq::archive {

// Links as bytes and as lanes of numbers.

// Numbers of one kind of this many links.
template <class T>
using WordLane = std::array<WordOf<T>, lanes>;

template <class T>
void to_numbers(const WordLane<T>& words, Lane& numbers) noexcept {
  for (std::size_t l = 0; l < lanes; ++l) numbers[l] = std::bit_cast<T>(words[l]);
}
template <class T>
void to_words(const Lane& numbers, WordLane<T>& words) noexcept {
  for (std::size_t l = 0; l < lanes; ++l) words[l] = std::bit_cast<WordOf<T>>(static_cast<T>(numbers[l]));
}

// Codes: which numbers are dropped; pairs of exponents; pairs of residuals of the dropped numbers, the pivot, row 2.
enum Alphabet : std::size_t { choices, exponents_row0, exponents_row1, dropped_pair, pivot_pair, row2_pair, alphabets };
// A link that is stored as it is.
inline constexpr std::uint8_t as_it_is = 96;
// In a pair of exponents or residuals: what is too large for it stands elsewhere.
inline constexpr std::uint64_t escape = 15;

inline constexpr std::size_t kept_numbers = 8, predicted_numbers = 10;
// Residuals are cut into low bits, as many as the scale of the number suggests, and the rest.
enum ResidualGroup : std::size_t { dropped_group, pivot_group, row2_group, residual_groups };
constexpr ResidualGroup group_of(std::size_t predicted) noexcept {
  return predicted < 2 ? dropped_group : predicted < 4 ? pivot_group : row2_group;
}
inline constexpr unsigned most_low_bits = 24;
using LowBits = std::array<std::uint8_t, residual_groups>;  // at most so many, of each group

// How many steps below one half a number lies, where low bits begin.
template <class T>
constexpr unsigned steps_below_half(WordOf<T> predicted) noexcept {
  const std::int32_t steps = half_exponent<T> - exponent_of<T>(predicted);
  return steps < 0 ? 0 : std::min(static_cast<unsigned>(steps), most_low_bits);
}

constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}
// What follows an escape: six bits for their number, and the bits.
inline constexpr unsigned most_escaped_bits = 40;

// Bytes in front of the streams: low bits, then the lengths of choices and pairs, kept bits, low bits, whole links.
inline constexpr std::size_t streams = 4;
inline constexpr std::size_t front_bytes = 4 + 8 * streams;

}  // namespace lq::archive
