// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/crc32_long.hpp"

#include <algorithm>

#include "kernels/crc32.hpp"

namespace lq::kernels {

LongCrc32::LongCrc32(InstructionSet set) : blocks_(block_bytes, set) {
  const std::array<std::byte, block_bytes> zeros{};
  const std::uint32_t of_zeros = crc32_portable(0, zeros);
  for (std::size_t byte = 0; byte < shift_.size(); ++byte) {
    auto& table = shift_[byte];
    for (std::uint32_t value = 1; value < table.size(); ++value) {
      const std::uint32_t rest = value & (value - 1);
      table[value] =
          rest != 0 ? table[rest] ^ table[value ^ rest] : crc32_portable(value << (8 * byte), zeros) ^ of_zeros;
    }
  }
}

bool LongCrc32::is_worth_it(InstructionSet set) noexcept {
  return set != InstructionSet::portable && set != InstructionSet::pclmul;
}

std::uint32_t LongCrc32::of_blocks(std::uint32_t crc, base::Bytes bytes) const noexcept {
  std::array<std::uint32_t, 16> crcs;
  const std::byte* at = bytes.data();
  for (std::size_t left = bytes.size() / block_bytes; left > 0;) {
    const std::size_t count = std::min(left, crcs.size());
    blocks_.of_sites(at, count, crcs.data());
    for (std::size_t k = 0; k < count; ++k) crc = shifted(crc) ^ crcs[k];
    at += count * block_bytes;
    left -= count;
  }
  return crc;
}

}  // namespace lq::kernels
