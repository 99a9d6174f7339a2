// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/xxh64.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace lq::kernels {
namespace {

// Names as in the specification.
constexpr std::uint64_t prime64_1 = isa::hash_prime_1, prime64_2 = isa::hash_prime_2, prime64_3 = 0x165667B19E3779F9,
                        prime64_4 = 0x85EBCA77C2B2AE63, prime64_5 = 0x27D4EB2F165667C5;

constexpr std::uint64_t next_lane(std::uint64_t lane, std::uint64_t word) noexcept {
  return std::rotl(lane + word * prime64_2, 31) * prime64_1;
}

constexpr std::uint64_t merged(std::uint64_t sum, std::uint64_t lane) noexcept {
  return (sum ^ next_lane(0, lane)) * prime64_1 + prime64_4;
}

// Adds the rest after the last stripe, less than 32 bytes.
std::uint64_t with_rest(std::uint64_t sum, base::Bytes rest) noexcept {
  for (; rest.size() >= 8; rest = rest.subspan(8)) {
    sum ^= next_lane(0, base::load_le<std::uint64_t>(rest.data()));
    sum = std::rotl(sum, 27) * prime64_1 + prime64_4;
  }
  if (rest.size() >= 4) {
    sum ^= base::load_le<std::uint32_t>(rest.data()) * prime64_1;
    sum = std::rotl(sum, 23) * prime64_2 + prime64_3;
    rest = rest.subspan(4);
  }
  for (const std::byte byte : rest)
    sum = std::rotl(sum ^ std::to_integer<std::uint64_t>(byte) * prime64_5, 11) * prime64_1;
  return sum;
}

constexpr isa::HashLanes first_lanes{{prime64_1 + prime64_2, prime64_2, 0, 0 - prime64_1}};

// Of an input whose whole stripes are in the lanes.
std::uint64_t finished(const isa::HashLanes& lanes, std::uint64_t length, base::Bytes rest) noexcept {
  std::uint64_t sum = prime64_5;
  if (length >= isa::hash_stripe_bytes) {
    const std::uint64_t* const words = lanes.words;
    sum = std::rotl(words[0], 1) + std::rotl(words[1], 7) + std::rotl(words[2], 12) + std::rotl(words[3], 18);
    for (const std::uint64_t lane : lanes.words) sum = merged(sum, lane);
  }
  sum = with_rest(sum + length, rest);
  sum = (sum ^ (sum >> 33)) * prime64_2;
  sum = (sum ^ (sum >> 29)) * prime64_3;
  return sum ^ (sum >> 32);
}

}  // namespace

std::uint64_t xxh64(base::Bytes bytes) noexcept {
  constexpr std::size_t stripe = isa::hash_stripe_bytes;
  const std::size_t whole = bytes.size() / stripe * stripe;
  isa::HashLanes lanes = first_lanes;
  const std::byte* at = bytes.data();
  for (const std::byte* const end = at + whole; at != end; at += stripe) {
    for (std::size_t i = 0; i < 4; ++i)
      lanes.words[i] = next_lane(lanes.words[i], base::load_le<std::uint64_t>(at + 8 * i));
  }
  return finished(lanes, bytes.size(), bytes.subspan(whole));
}

void xxh64_of_blocks(base::Bytes bytes, std::size_t length, std::span<std::uint64_t> sums,
                     InstructionSet set) noexcept {
  constexpr std::size_t stripe = isa::hash_stripe_bytes, together = isa::hashed_together;
  const isa::HashLoop loop = loops_of(set).hash;
  std::size_t block = 0;
  for (; loop != nullptr && (block + together) * length <= bytes.size(); block += together) {
    const base::Bytes blocks = bytes.subspan(block * length);
    std::array<isa::HashLanes, together> lanes;
    lanes.fill(first_lanes);
    loop(blocks.data(), length, length / stripe, lanes.data());
    for (std::size_t k = 0; k < together; ++k) {
      const base::Bytes input = blocks.subspan(k * length, length);
      sums[block + k] = finished(lanes[k], length, input.subspan(length / stripe * stripe));
    }
  }
  for (; block * length < bytes.size(); ++block) {
    sums[block] = xxh64(bytes.subspan(block * length, std::min(length, bytes.size() - block * length)));
  }
}

}  // namespace lq::kernels
