// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One lane of 128 bits on x86-64, for the loops over sites; needs PCLMULQDQ, SSSE3 and SSE4.1. Each file that includes
// this compiles it for its own instruction set, hence the unnamed namespace.
#pragma once

#include <immintrin.h>

#include "kernels/isa/stripe_loops.hpp"

namespace lq::kernels::isa {
namespace {

// Shuffle indices that reverse the byte order of numbers of 4 and of 8 bytes.
inline __m128i turned_places(std::size_t number_bytes) noexcept {
  return number_bytes == 4 ? _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3)
                           : _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
}

struct Lane128 {
  using Reg = __m128i;
  using Lane = Lane128;
  template <std::size_t>
  using Dividing = Lane128;
  static constexpr std::size_t bytes = 16;

  static Reg zero() noexcept { return _mm_setzero_si128(); }
  static Reg load(const void* from) noexcept { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
  static void store(void* to, Reg a) noexcept { _mm_storeu_si128(static_cast<__m128i*>(to), a); }
  static Reg add(Reg a, Reg b) noexcept { return _mm_xor_si128(a, b); }
  static Reg both(Reg a, Reg b) noexcept { return _mm_and_si128(a, b); }
  static Reg low_low(Reg a, Reg b) noexcept { return _mm_clmulepi64_si128(a, b, 0x00); }
  static Reg high_high(Reg a, Reg b) noexcept { return _mm_clmulepi64_si128(a, b, 0x11); }
  static Reg high(Reg a) noexcept { return _mm_unpackhi_epi64(a, a); }
  static Reg same(std::uint64_t word) noexcept { return _mm_set1_epi64x(static_cast<long long>(word)); }
  static Reg repeated(const void* lane) noexcept { return load(lane); }
  static Reg looked_up(Reg table, Reg places) noexcept { return _mm_shuffle_epi8(table, places); }
  static Reg lowered_by_4(Reg a) noexcept { return _mm_srli_epi16(a, 4); }
  static Reg folded(Reg a) noexcept { return a; }
  static Reg joined(const Reg* lanes) noexcept { return lanes[0]; }
  static Reg load_half(const void* from) noexcept { return _mm_loadl_epi64(static_cast<const __m128i*>(from)); }
  static void store_half(void* to, Reg a) noexcept { _mm_storel_epi64(static_cast<__m128i*>(to), a); }
  template <std::size_t piece>
  static Reg gathered(std::byte* const* pieces, std::ptrdiff_t offset) noexcept {
    if constexpr (piece == bytes) return load(pieces[0] + offset);
    return _mm_unpacklo_epi64(load_half(pieces[0] + offset), load_half(pieces[1] + offset));
  }
  template <std::size_t piece>
  static void scatter(std::byte* const* pieces, std::ptrdiff_t offset, Reg a) noexcept {
    if constexpr (piece == bytes) return store(pieces[0] + offset, a);
    store_half(pieces[0] + offset, a);
    store_half(pieces[1] + offset, high(a));
  }
  template <std::size_t number_bytes>
  static Reg turned(Reg a) noexcept {
    return _mm_shuffle_epi8(a, turned_places(number_bytes));
  }
};

}  // namespace
}  // namespace lq::kernels::isa
