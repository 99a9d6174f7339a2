// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/xxh64.hpp"

#include <array>
#include <bit>

namespace lq::kernels {
namespace {

// Names as in the specification.
constexpr std::uint64_t prime64_1 = 0x9E3779B185EBCA87, prime64_2 = 0xC2B2AE3D27D4EB4F, prime64_3 = 0x165667B19E3779F9,
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

}  // namespace

std::uint64_t xxh64(base::Bytes bytes) noexcept {
  constexpr std::size_t stripe = 32;
  const std::uint64_t length = bytes.size();
  std::uint64_t sum = prime64_5;
  if (bytes.size() >= stripe) {
    std::array<std::uint64_t, 4> lanes{prime64_1 + prime64_2, prime64_2, 0, 0 - prime64_1};
    const std::byte* at = bytes.data();
    const std::byte* const end = at + bytes.size() / stripe * stripe;
    for (; at != end; at += stripe) {
      for (std::size_t i = 0; i < 4; ++i) lanes[i] = next_lane(lanes[i], base::load_le<std::uint64_t>(at + 8 * i));
    }
    sum = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
    for (const std::uint64_t lane : lanes) sum = merged(sum, lane);
    bytes = bytes.subspan(bytes.size() / stripe * stripe);
  }
  sum = with_rest(sum + length, bytes);
  sum = (sum ^ (sum >> 33)) * prime64_2;
  sum = (sum ^ (sum >> 29)) * prime64_3;
  return sum ^ (sum >> 32);
}

}  // namespace lq::kernels
