// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 512 bits at a time: AVX-512 (F, BW and DQ) and VPCLMULQDQ. Intel servers from Ice Lake, AMD from Zen 4.
#include "kernels/isa/loops.hpp"

#if defined(LQ_X86_64)
#include "kernels/isa/hash_loops.hpp"
#include "kernels/isa/vector256.hpp"

namespace lq::kernels::isa {
namespace {

// Whole vectors of half the length are faster than a long one followed by single lanes.
template <class V, std::size_t site_bytes>
struct DividingIn512 {
  using Vector = V;
};
template <class V>
struct DividingIn512<V, 96> {
  using Vector = Vector256;
};

struct Vector512 {
  using Reg = __m512i;
  using Lane = Lane128;
  template <std::size_t site_bytes>
  using Dividing = typename DividingIn512<Vector512, site_bytes>::Vector;
  static constexpr std::size_t bytes = 64;

  static Reg zero() noexcept { return _mm512_setzero_si512(); }
  static Reg load(const void* from) noexcept { return _mm512_loadu_si512(from); }
  static void store(void* to, Reg a) noexcept { _mm512_storeu_si512(to, a); }
  static Reg add(Reg a, Reg b) noexcept { return _mm512_xor_si512(a, b); }
  static Reg both(Reg a, Reg b) noexcept { return _mm512_and_si512(a, b); }
  static Reg low_low(Reg a, Reg b) noexcept { return _mm512_clmulepi64_epi128(a, b, 0x00); }
  static Reg high_high(Reg a, Reg b) noexcept { return _mm512_clmulepi64_epi128(a, b, 0x11); }
  static Reg high(Reg a) noexcept { return _mm512_unpackhi_epi64(a, a); }
  static Reg same(std::uint64_t word) noexcept { return _mm512_set1_epi64(static_cast<long long>(word)); }
  static Reg repeated(const void* lane) noexcept { return _mm512_broadcast_i32x4(Lane::load(lane)); }
  static Reg looked_up(Reg table, Reg places) noexcept { return _mm512_shuffle_epi8(table, places); }
  static Reg lowered_by_4(Reg a) noexcept { return _mm512_srli_epi16(a, 4); }
  static Reg plus(Reg a, Reg b) noexcept { return _mm512_add_epi64(a, b); }
  static Reg times(Reg a, Reg b) noexcept { return _mm512_mullo_epi64(a, b); }
  static Reg turned_left_31(Reg a) noexcept { return _mm512_rol_epi64(a, 31); }
  static Reg stripes(const std::byte* from, std::size_t distance) noexcept {
    return _mm512_inserti64x4(_mm512_castsi256_si512(Vector256::load(from)), Vector256::load(from + distance), 1);
  }
  static Lane::Reg folded(Reg a) noexcept {
    const __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    return Lane::add(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  }
  static Reg joined(const Lane::Reg* lanes) noexcept {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_set_m128i(lanes[1], lanes[0])),
                              _mm256_set_m128i(lanes[3], lanes[2]), 1);
  }
  static Reg add_lane(Reg a, Lane::Reg b) noexcept { return add(a, _mm512_zextsi128_si512(b)); }
  template <std::size_t piece>
  static Reg gathered(std::byte* const* pieces, std::ptrdiff_t offset) noexcept {
    return _mm512_inserti64x4(_mm512_castsi256_si512(Vector256::gathered<piece>(pieces, offset)),
                              Vector256::gathered<piece>(pieces + Vector256::bytes / piece, offset), 1);
  }
  template <std::size_t piece>
  static void scatter(std::byte* const* pieces, std::ptrdiff_t offset, Reg a) noexcept {
    Vector256::scatter<piece>(pieces, offset, _mm512_castsi512_si256(a));
    Vector256::scatter<piece>(pieces + Vector256::bytes / piece, offset, _mm512_extracti64x4_epi64(a, 1));
  }
  template <std::size_t number_bytes>
  static Reg turned(Reg a) noexcept {
    return _mm512_shuffle_epi8(a, _mm512_broadcast_i32x4(turned_places(number_bytes)));
  }
};

// Less than a cache line, or nothing. Masked byte stores are slow on Zen 4.
void copy_some(const std::byte* from, std::byte* to, std::size_t bytes) noexcept {
  for (; bytes >= lane_bytes; bytes -= lane_bytes, from += lane_bytes, to += lane_bytes) {
    Lane128::store(to, Lane128::load(from));
  }
  std::memcpy(to, from, bytes);
}

void copy_around(const std::byte* from, std::byte* to, std::size_t bytes) noexcept {
  const std::size_t to_line = (cache_line - reinterpret_cast<std::uintptr_t>(to) % cache_line) % cache_line;
  const std::size_t before = to_line < bytes ? to_line : bytes;
  if (before > 0) copy_some(from, to, before);
  std::size_t at = before;
  for (; at + cache_line <= bytes; at += cache_line) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + at), _mm512_loadu_si512(from + at));
  }
  if (at < bytes) copy_some(from + at, to + at, bytes - at);
}

void settle() noexcept { _mm_sfence(); }

constexpr Loops wide_loops() noexcept {
  Loops loops = loops_of<Vector512>();
  loops.hash = hash_stripes<Vector512>;
  loops.around = {copy_around, settle};
  return loops;
}

}  // namespace

constinit const Loops avx512_loops = wide_loops();

}  // namespace lq::kernels::isa
#endif
