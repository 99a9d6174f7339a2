// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32 in plain C++, sixteen bytes per step: tables[k][b] is the remainder of byte b followed by k zero bytes.
#include <array>

#include "kernels/crc32.hpp"

namespace lq::kernels {
namespace {

constexpr std::size_t bytes_at_once = 16;
using Tables = std::array<std::array<std::uint32_t, 256>, bytes_at_once>;

constexpr Tables make_tables() {
  constexpr std::uint32_t polynomial = 0xedb88320;  // bits reflected
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? polynomial : 0);
    tables[0][byte] = remainder;
  }
  for (std::size_t k = 1; k < bytes_at_once; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables tables = make_tables();

std::uint32_t add_byte(std::uint32_t remainder, std::byte byte) noexcept {
  return (remainder >> 8) ^ tables[0][(remainder ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
}

// The remainder of four bytes that are followed by `zeros` zero bytes.
template <std::size_t zeros>
std::uint32_t fold(std::uint32_t word) noexcept {
  return tables[zeros + 3][word & 0xff] ^ tables[zeros + 2][(word >> 8) & 0xff] ^
         tables[zeros + 1][(word >> 16) & 0xff] ^ tables[zeros][word >> 24];
}

}  // namespace

std::uint32_t crc32_portable(std::uint32_t crc, base::Bytes bytes) noexcept {
  std::uint32_t remainder = ~crc;
  const std::byte* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= bytes_at_once; p += bytes_at_once, left -= bytes_at_once) {
    remainder = fold<12>(remainder ^ base::load_le<std::uint32_t>(p)) ^ fold<8>(base::load_le<std::uint32_t>(p + 4)) ^
                fold<4>(base::load_le<std::uint32_t>(p + 8)) ^ fold<0>(base::load_le<std::uint32_t>(p + 12));
  }
  for (; left > 0; ++p, --left) remainder = add_byte(remainder, *p);
  return ~remainder;
}

}  // namespace lq::kernels
