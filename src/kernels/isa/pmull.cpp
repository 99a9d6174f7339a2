// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 128 bits at a time: NEON and PMULL, with the CRC instructions for streams. ARMv8 servers and later, including Grace.
#include "kernels/isa/loops.hpp"

#if defined(LQ_AARCH64)
#include <arm_neon.h>

#include "kernels/isa/crc_words.hpp"
#include "kernels/isa/stripe_loops.hpp"

namespace lq::kernels::isa {
namespace {

struct LaneNeon {
  using Reg = uint64x2_t;
  using Lane = LaneNeon;
  template <std::size_t>
  using Dividing = LaneNeon;
  static constexpr std::size_t bytes = 16;

  static Reg zero() noexcept { return vdupq_n_u64(0); }
  // By bytes: other word sizes would require alignment.
  static Reg load(const void* from) noexcept {
    return vreinterpretq_u64_u8(vld1q_u8(static_cast<const std::uint8_t*>(from)));
  }
  static void store(void* to, Reg a) noexcept { vst1q_u8(static_cast<std::uint8_t*>(to), vreinterpretq_u8_u64(a)); }
  static Reg add(Reg a, Reg b) noexcept { return veorq_u64(a, b); }
  static Reg both(Reg a, Reg b) noexcept { return vandq_u64(a, b); }
  static Reg low_low(Reg a, Reg b) noexcept {
    return vreinterpretq_u64_p128(vmull_p64(vgetq_lane_u64(a, 0), vgetq_lane_u64(b, 0)));
  }
  static Reg high_high(Reg a, Reg b) noexcept {
    return vreinterpretq_u64_p128(vmull_high_p64(vreinterpretq_p64_u64(a), vreinterpretq_p64_u64(b)));
  }
  static Reg high(Reg a) noexcept { return vdupq_laneq_u64(a, 1); }
  static Reg same(std::uint64_t word) noexcept { return vdupq_n_u64(word); }
  static Reg repeated(const void* lane) noexcept { return load(lane); }
  static Reg looked_up(Reg table, Reg places) noexcept {
    return vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(table), vreinterpretq_u8_u64(places)));
  }
  static Reg lowered_by_4(Reg a) noexcept { return vshrq_n_u64(a, 4); }
  static Reg folded(Reg a) noexcept { return a; }
  static Reg joined(const Reg* lanes) noexcept { return lanes[0]; }
  static Reg load_half(const void* from) noexcept {
    return vreinterpretq_u64_u8(vcombine_u8(vld1_u8(static_cast<const std::uint8_t*>(from)), vdup_n_u8(0)));
  }
  static void store_half(void* to, Reg a) noexcept {
    vst1_u8(static_cast<std::uint8_t*>(to), vget_low_u8(vreinterpretq_u8_u64(a)));
  }
  template <std::size_t piece>
  static Reg gathered(std::byte* const* pieces, std::ptrdiff_t offset) noexcept {
    if constexpr (piece == bytes) return load(pieces[0] + offset);
    return vzip1q_u64(load_half(pieces[0] + offset), load_half(pieces[1] + offset));
  }
  template <std::size_t piece>
  static void scatter(std::byte* const* pieces, std::ptrdiff_t offset, Reg a) noexcept {
    if constexpr (piece == bytes) return store(pieces[0] + offset, a);
    store_half(pieces[0] + offset, a);
    store_half(pieces[1] + offset, high(a));
  }
  template <std::size_t number_bytes>
  static Reg turned(Reg a) noexcept {
    const uint8x16_t in = vreinterpretq_u8_u64(a);
    return vreinterpretq_u64_u8(number_bytes == 4 ? vrev32q_u8(in) : vrev64q_u8(in));
  }
};

constexpr Loops neon_loops() noexcept {
  Loops loops = loops_of<LaneNeon>();
  loops.stream = stream_crc32;
  return loops;
}

}  // namespace

constinit const Loops pmull_loops = neon_loops();

}  // namespace lq::kernels::isa
#endif
