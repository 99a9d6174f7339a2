// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/single_byte.hpp"

#include <array>
#include <bit>
#include <unordered_map>

#include "kernels/crc32.hpp"

namespace lq::io {

namespace {

// How the CRC changes when the last byte changes by e; the initial and final inversions cancel.
std::array<std::uint32_t, 256> last_byte_changes() {
  const std::byte zero{};
  const std::uint32_t reference = kernels::crc32(0, {&zero, 1});
  std::array<std::uint32_t, 256> changes{};
  for (unsigned e = 0; e < 256; ++e) {
    const std::byte byte{static_cast<unsigned char>(e)};
    changes[e] = kernels::crc32(0, {&byte, 1}) ^ reference;
  }
  return changes;
}

const std::array<std::uint32_t, 256>& changes_of_last_byte() {
  static const std::array<std::uint32_t, 256> table = last_byte_changes();
  return table;
}

// One more (unchanged) byte behind the damage.
std::uint32_t push_zero(std::uint32_t change) { return (change >> 8) ^ changes_of_last_byte()[change & 0xff]; }

// The one number below 899 with these remainders mod 29 and mod 31 (Chinese remainders: 31*15 = 1 mod 29, 29*15 = 1 mod
// 31).
std::uint64_t combine_remainders(std::uint64_t mod_29, std::uint64_t mod_31) {
  return (mod_29 * 31 * 15 + mod_31 * 29 * 15) % 899;
}

}  // namespace

std::uint32_t crc_change(std::uint8_t e, std::uint64_t bytes_behind) {
  std::uint32_t change = changes_of_last_byte()[e];
  for (; bytes_behind > 0; --bytes_behind) change = push_zero(change);
  return change;
}

std::vector<SingleByte> solve_single_byte(const Checksum& change, std::uint64_t site_bytes) {
  // The possible changes of one site's CRC, with the remainders of the site's rank that go with each.
  std::unordered_multimap<std::uint32_t, std::uint64_t> ranks_of;
  for (std::uint64_t a = 0; a < 29; ++a) {
    const std::uint32_t crc = std::rotr(change.suma, static_cast<int>(a));
    for (std::uint64_t b = 0; b < 31; ++b) {
      if (std::rotl(crc, static_cast<int>(b)) == change.sumb) ranks_of.emplace(crc, combine_remainders(a, b));
    }
  }
  std::vector<SingleByte> solutions;
  std::array<std::uint32_t, 256> changes = changes_of_last_byte();
  for (std::uint64_t byte = site_bytes; byte-- > 0;) {
    for (unsigned e = 1; e < 256; ++e) {
      const auto [first, last] = ranks_of.equal_range(changes[e]);
      for (auto it = first; it != last; ++it) solutions.push_back({it->second, byte, static_cast<std::uint8_t>(e)});
    }
    for (std::uint32_t& value : changes) value = push_zero(value);
  }
  return solutions;
}

}  // namespace lq::io
