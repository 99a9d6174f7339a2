// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The compression function in plain C++, numbers and names as in FIPS 180-4 section 6.2.
#include "kernels/sha256.hpp"

#include <algorithm>
#include <bit>

namespace lq::kernels {
namespace {

constexpr std::size_t block_bytes = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> k{
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

}  // namespace

void Sha256::add_block(const std::byte* block) noexcept {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = base::load_be<std::uint32_t>(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    w[t] = sigma(w[t - 2], 17, 19, 10) + w[t - 7] + sigma(w[t - 15], 7, 18, 3) + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t t1 = h + big_sigma(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + k[t] + w[t];
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
  const Words added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < added.size(); ++i) state_[i] += added[i];
}

void Sha256::add(base::Bytes bytes) noexcept {
  const auto held = static_cast<std::size_t>(bytes_ % block_bytes);
  bytes_ += bytes.size();
  if (held > 0) {
    const std::size_t fill = std::min(block_bytes - held, bytes.size());
    std::copy_n(bytes.data(), fill, rest_.data() + held);
    bytes = bytes.subspan(fill);
    if (held + fill < block_bytes) return;
    add_block(rest_.data());
  }
  for (; bytes.size() >= block_bytes; bytes = bytes.subspan(block_bytes)) add_block(bytes.data());
  std::ranges::copy(bytes, rest_.data());
}

Sha256::Words Sha256::finish() noexcept {
  std::array<std::byte, block_bytes + 8> padding{std::byte{0x80}};
  const std::uint64_t bits = bytes_ * 8;
  // One byte at least, so many that the length ends a block.
  const auto zeros = static_cast<std::size_t>((2 * block_bytes - 9 - bytes_ % block_bytes) % block_bytes);
  base::store_be(padding.data() + 1 + zeros, bits);
  add({padding.data(), 1 + zeros + 8});
  return state_;
}

}  // namespace lq::kernels
