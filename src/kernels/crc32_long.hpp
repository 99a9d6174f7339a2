// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32 of long data by the loops over sites (site_crc.hpp): the data are cut into blocks, which are sites of one
// length, and the CRCs of the blocks are joined. With vectors of 256 bits or more that is twice as fast as the
// libraries, which fold 128 bits at a time.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.hpp"
#include "kernels/site_crc.hpp"

namespace lq::kernels {

class LongCrc32 {
 public:
  static constexpr std::size_t block_bytes = 4096;

  // Throws std::bad_alloc.
  explicit LongCrc32(InstructionSet set);

  // Whether these loops are faster than a stream: wide vectors are, and several sites side by side where a stream is a
  // chain of instructions that wait for each other.
  static bool is_worth_it(InstructionSet set) noexcept;

  // Continues `crc` over the whole blocks at the beginning of `bytes`; what is left over is for the caller.
  std::uint32_t of_blocks(std::uint32_t crc, base::Bytes bytes) const noexcept;

 private:
  // The CRC of something that a whole block of zeros follows, less that of the zeros alone: linear in each bit.
  std::uint32_t shifted(std::uint32_t crc) const noexcept {
    return shift_[0][crc & 0xff] ^ shift_[1][(crc >> 8) & 0xff] ^ shift_[2][(crc >> 16) & 0xff] ^ shift_[3][crc >> 24];
  }

  SiteCrc blocks_;
  std::array<std::array<std::uint32_t, 256>, 4> shift_{};
};

}  // namespace lq::kernels
