// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collects blocks; the compression is below.
#include "kernels/sha256.hpp"

#include <algorithm>
#include <bit>

#include "base/processor.hpp"
#include "kernels/dispatch.hpp"

#if defined(LQ_X86_64)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace lq::kernels {

// Numbers and names as in FIPS 180-4 section 6.2.

namespace {

constexpr std::size_t sha256_block_bytes = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> sha256_k{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t sigma(std::uint32_t x, int a, int b, int shift) noexcept {
  return std::rotr(x, a) ^ std::rotr(x, b) ^ (x >> shift);
}

std::uint32_t big_sigma(std::uint32_t x, int a, int b, int c) noexcept {
  return std::rotr(x, a) ^ std::rotr(x, b) ^ std::rotr(x, c);
}

#if defined(LQ_X86_64)

bool has_sha_instructions() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSSE3) == 0 || (c & bit_SSE4_1) == 0) return false;
  constexpr unsigned sha = 1U << 29;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & sha) != 0;
}

// The instructions take the state as the words a, b, e, f and c, d, g, h, from the highest lane down, and the message
// words of four rounds at a time.
__attribute__((target("sha,sse4.1,ssse3"))) void compress_with_instructions(std::uint32_t* state,
                                                                            const std::byte* blocks,
                                                                            std::size_t count) noexcept {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* const words = reinterpret_cast<__m128i*>(state);
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; count > 0; --count, blocks += sha256_block_bytes) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int t = 0; t < 16; ++t) {
      __m128i& now = w[t % 4];
      if (t < 4) {
        now = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks) + t), swap);
      } else {
        const __m128i last = w[(t + 3) % 4];
        const __m128i seven_back = _mm_alignr_epi8(last, w[(t + 2) % 4], 4);
        now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, w[(t + 1) % 4]), seven_back), last);
      }
      const __m128i added = _mm_add_epi32(now, _mm_loadu_si128(reinterpret_cast<const __m128i*>(sha256_k.data()) + t));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#endif

}  // namespace

void compress_sha256_portable(std::uint32_t* state, const std::byte* blocks, std::size_t count) noexcept {
  for (; count > 0; --count, blocks += sha256_block_bytes) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) w[t] = base::load_be<std::uint32_t>(blocks + 4 * t);
    for (std::size_t t = 16; t < 64; ++t) {
      w[t] = sigma(w[t - 2], 17, 19, 10) + w[t - 7] + sigma(w[t - 15], 7, 18, 3) + w[t - 16];
    }
    std::array<std::uint32_t, 8> words;
    std::copy_n(state, 8, words.begin());
    auto& [a, b, c, d, e, f, g, h] = words;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t t1 = h + big_sigma(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + sha256_k[t] + w[t];
      const std::uint32_t t2 = big_sigma(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    for (std::size_t i = 0; i < words.size(); ++i) state[i] += words[i];
  }
}

Sha256Compression sha256_instructions() noexcept {
#if defined(LQ_X86_64)
  static const bool are_here = has_sha_instructions();
  if (are_here) return compress_with_instructions;
#endif
  return nullptr;
}

Sha256Compression sha256_compression() noexcept {
  static const Sha256Compression chosen = [] {
    const Sha256Compression instructions = sha256_instructions();
    const bool is_wanted = active_instruction_set() != InstructionSet::portable;
    return instructions != nullptr && is_wanted ? instructions : Sha256Compression{compress_sha256_portable};
  }();
  return chosen;
}

namespace {

constexpr std::size_t block_bytes = 64;

}  // namespace

void Sha256::add(base::Bytes bytes) noexcept {
  const auto held = static_cast<std::size_t>(bytes_ % block_bytes);
  bytes_ += bytes.size();
  if (held > 0) {
    const std::size_t fill = std::min(block_bytes - held, bytes.size());
    std::copy_n(bytes.data(), fill, rest_.data() + held);
    bytes = bytes.subspan(fill);
    if (held + fill < block_bytes) return;
    sha256_compression()(state_.data(), rest_.data(), 1);
  }
  const std::size_t blocks = bytes.size() / block_bytes;
  if (blocks > 0) sha256_compression()(state_.data(), bytes.data(), blocks);
  bytes = bytes.subspan(blocks * block_bytes);
  std::ranges::copy(bytes, rest_.data());
}

Sha256::Words Sha256::finish() noexcept {
  std::array<std::byte, block_bytes + 8> padding{std::byte{0x80}};
  const std::uint64_t bits = bytes_ * 8;
  // At least one byte; enough that the length ends a block.
  const auto zeros = static_cast<std::size_t>((2 * block_bytes - 9 - bytes_ % block_bytes) % block_bytes);
  base::store_be(padding.data() + 1 + zeros, bits);
  add({padding.data(), 1 + zeros + 8});
  return state_;
}

}  // namespace lq::kernels
