// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 256 bits on x86-64, for the loops over sites; needs AVX2 and VPCLMULQDQ. Each file that includes this compiles it for
// its own instruction set, hence the unnamed namespace.
#pragma once

#include "kernels/isa/lane128.hpp"

namespace lq::kernels::isa {
namespace {

struct Vector256 {
  using Reg = __m256i;
  using Lane = Lane128;
  template <std::size_t>
  using Dividing = Vector256;
  static constexpr std::size_t bytes = 32;

  static Reg zero() noexcept { return _mm256_setzero_si256(); }
  static Reg load(const void* from) noexcept { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
  static void store(void* to, Reg a) noexcept { _mm256_storeu_si256(static_cast<__m256i*>(to), a); }
  static Reg add(Reg a, Reg b) noexcept { return _mm256_xor_si256(a, b); }
  static Reg both(Reg a, Reg b) noexcept { return _mm256_and_si256(a, b); }
  static Reg low_low(Reg a, Reg b) noexcept { return _mm256_clmulepi64_epi128(a, b, 0x00); }
  static Reg high_high(Reg a, Reg b) noexcept { return _mm256_clmulepi64_epi128(a, b, 0x11); }
  static Reg high(Reg a) noexcept { return _mm256_unpackhi_epi64(a, a); }
  static Reg same(std::uint64_t word) noexcept { return _mm256_set1_epi64x(static_cast<long long>(word)); }
  static Reg repeated(const void* lane) noexcept { return _mm256_broadcastsi128_si256(Lane::load(lane)); }
  static Reg looked_up(Reg table, Reg places) noexcept { return _mm256_shuffle_epi8(table, places); }
  static Reg lowered_by_4(Reg a) noexcept { return _mm256_srli_epi16(a, 4); }
  static Reg plus(Reg a, Reg b) noexcept { return _mm256_add_epi64(a, b); }
  static Reg times(Reg a, Reg b) noexcept {
    const Reg crossed =
        plus(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), b), _mm256_mul_epu32(a, _mm256_srli_epi64(b, 32)));
    return plus(_mm256_mul_epu32(a, b), _mm256_slli_epi64(crossed, 32));
  }
  static Reg turned_left_31(Reg a) noexcept {
    return _mm256_or_si256(_mm256_slli_epi64(a, 31), _mm256_srli_epi64(a, 33));
  }
  static Reg stripes(const std::byte* from, std::size_t) noexcept { return load(from); }
  static Lane::Reg folded(Reg a) noexcept {
    return Lane::add(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  }
  static Reg joined(const Lane::Reg* lanes) noexcept { return _mm256_set_m128i(lanes[1], lanes[0]); }
  static Reg add_lane(Reg a, Lane::Reg b) noexcept { return add(a, _mm256_zextsi128_si256(b)); }
  template <std::size_t piece>
  static Reg gathered(std::byte* const* pieces, std::ptrdiff_t offset) noexcept {
    return _mm256_set_m128i(Lane::gathered<piece>(pieces + lane_bytes / piece, offset),
                            Lane::gathered<piece>(pieces, offset));
  }
  template <std::size_t piece>
  static void scatter(std::byte* const* pieces, std::ptrdiff_t offset, Reg a) noexcept {
    Lane::scatter<piece>(pieces, offset, _mm256_castsi256_si128(a));
    Lane::scatter<piece>(pieces + lane_bytes / piece, offset, _mm256_extracti128_si256(a, 1));
  }
  template <std::size_t number_bytes>
  static Reg turned(Reg a) noexcept {
    return _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(turned_places(number_bytes)));
  }
};

}  // namespace
}  // namespace lq::kernels::isa
