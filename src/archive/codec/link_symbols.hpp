// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of the encoder and the decoder of links: symbols, links as bytes and as lanes of numbers, wide vectors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "archive/codec/link_batch.hpp"
#include "archive/codec/prefix_code.hpp"
#include "archive/codec/words.hpp"
#include "base/processor.hpp"

// The same loops again for processors with wide vectors and variable shifts: marked functions inline everything they
// call. All versions give the same bits, because nothing is contracted or reordered.

#if defined(LQ_X86_64)
#define LQ_AVX2_TARGET "avx2,bmi,bmi2"
#if defined(__clang__)
#define LQ_AVX512_TARGET "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2"
#else
#define LQ_AVX512_TARGET "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,prefer-vector-width=512"
#endif
#define LQ_FOR_AVX2 [[gnu::target(LQ_AVX2_TARGET), gnu::flatten]]
#define LQ_FOR_AVX512 [[gnu::target(LQ_AVX512_TARGET), gnu::flatten]]
#endif

namespace lq::archive {

// Vectors for which a function is compiled.
enum class Vectors { of_any_processor, avx2, avx512 };

// The widest vectors of this processor; narrower if LQ_FORCE_ISA names an instruction set without them.
inline Vectors widest_vectors() noexcept {
#if defined(LQ_X86_64)
  static const Vectors result = [] {
    const char* const forced = std::getenv("LQ_FORCE_ISA");
    const std::string_view name = forced == nullptr ? "" : forced;
    if (name == "portable" || name == "pclmul" || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2")) {
      return Vectors::of_any_processor;
    }
    const bool is_wider = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return is_wider && name != "vpclmul" ? Vectors::avx512 : Vectors::avx2;
  }();
  return result;
#else
  return Vectors::of_any_processor;
#endif
}

// Codes: dropped numbers; pairs of exponents; pairs of residuals of the dropped numbers, the pivot, row 2.
enum Alphabet : std::size_t { choices, exponents_row0, exponents_row1, dropped_pair, pivot_pair, row2_pair, alphabets };
// Symbols of a link in order, and the first of each code.
inline constexpr std::size_t link_columns = 10, exponent_columns = 1, residual_columns = 5;
inline constexpr std::array<std::size_t, alphabets + 1> first_column{0, 1, 3, 5, 6, 7, link_columns};
// Links of two rows have no residuals of a third one.
constexpr std::size_t columns_of(std::size_t reals) noexcept { return reals == 18 ? link_columns : link_columns - 3; }

// A link that is stored unchanged.
inline constexpr std::uint8_t as_it_is = 96;
// In a pair of exponents or residuals: the value is too large and stored elsewhere.
inline constexpr std::uint64_t escape = 15;

inline constexpr std::size_t kept_numbers = 8, predicted_numbers = 10;
// Residuals are divided into low bits, whose number depends on the scale of the number, and the rest.
enum ResidualGroup : std::size_t { dropped_group, pivot_group, row2_group, residual_groups };
constexpr ResidualGroup group_of(std::size_t predicted) noexcept {
  return predicted < 2 ? dropped_group : predicted < 4 ? pivot_group : row2_group;
}
inline constexpr unsigned most_low_bits = 24;
using LowBits = std::array<std::uint8_t, residual_groups>;  // maximum for each group

// Number of low bits of the residual of such a prediction: its distance below one half in exponent steps, at most
// `most`. In 64 bits, so that loops over links have one width.
template <class T>
constexpr std::int64_t low_bits_of(WordOf<T> predicted, std::int64_t most) noexcept {
  constexpr std::uint64_t field = (std::uint64_t{1} << exponent_bits<T>)-1;
  const std::int64_t steps =
      half_exponent<T> - static_cast<std::int64_t>((std::uint64_t{predicted} >> mantissa_bits<T>)&field);
  const std::int64_t least = steps < 0 ? 0 : steps;
  return least < most ? least : most;
}

constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}
// After an escape: six bits for the number of bits, then the bits.
inline constexpr unsigned most_escaped_bits = 40;

// Links whose kept bits are stored together, number by number.
inline constexpr std::size_t kept_together = 8;

// Bytes before the streams: low bits, and lengths of streams.
// Method 1: choices and pairs of all links, kept bits, low bits, whole links.
inline constexpr std::size_t streams = 4;
inline constexpr std::size_t front_bytes = 4 + 8 * streams;
// Method 3: the four runs of each code, kept bits, low bits, whole links.
inline constexpr std::size_t column_streams = alphabets * runs + 3;
inline constexpr std::size_t column_front_bytes = 4 + 4 * column_streams;

}  // namespace lq::archive
