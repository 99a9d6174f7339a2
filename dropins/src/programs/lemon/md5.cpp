// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "programs/lemon/md5.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/bytes.hpp"

namespace lq::programs {
namespace {

constexpr std::size_t block_bytes = 64;

// RFC 1321, 3.4: step i adds the integer part of 2^32 abs(sin(i + 1)).
const std::array<std::uint32_t, 64>& sines() {
  static const auto table = [] {
    std::array<std::uint32_t, 64> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] =
          static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
    }
    return values;
  }();
  return table;
}

constexpr std::array<std::array<int, 4>, 4> shifts{{{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

// The function of a round, and which word of the block it takes.
struct Step {
  std::uint32_t mixed;
  std::size_t word;
};

Step step_of(std::size_t i, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (i < 16) return {(b & c) | (~b & d), i};
  if (i < 32) return {(d & b) | (~d & c), (5 * i + 1) % 16};
  if (i < 48) return {b ^ c ^ d, (3 * i + 5) % 16};
  return {c ^ (b | ~d), 7 * i % 16};
}

void add_block(std::array<std::uint32_t, 4>& state, const std::byte* block) {
  std::array<std::uint32_t, 16> words;
  for (std::size_t k = 0; k < words.size(); ++k) words[k] = base::load_le<std::uint32_t>(block + 4 * k);
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const Step step = step_of(i, b, c, d);
    const std::uint32_t turned = std::rotl(a + step.mixed + words[step.word] + sines()[i], shifts[i / 16][i % 4]);
    a = d;
    d = c;
    c = b;
    b += turned;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

Md5 md5_of(std::span<const std::byte> bytes) {
  std::array<std::uint32_t, 4> state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::size_t whole = bytes.size() / block_bytes * block_bytes;
  for (std::size_t at = 0; at < whole; at += block_bytes) add_block(state, bytes.data() + at);
  // The rest, a one bit, zeros, the number of bits.
  std::array<std::byte, 2 * block_bytes> tail{};
  const std::size_t rest = bytes.size() - whole;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(whole), rest, tail.begin());
  tail[rest] = std::byte{0x80};
  const std::size_t tail_bytes = rest < block_bytes - 8 ? block_bytes : 2 * block_bytes;
  base::store_le(tail.data() + tail_bytes - 8, std::uint64_t{8} * bytes.size());
  for (std::size_t at = 0; at < tail_bytes; at += block_bytes) add_block(state, tail.data() + at);
  Md5 digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<std::uint8_t>(state[i / 4] >> 8 * (i % 4));
  return digest;
}

}  // namespace lq::programs
