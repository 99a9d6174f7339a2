// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32 of sites, which all have one length, and of long data by the same loops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "kernels/dispatch.hpp"

namespace lq::kernels {

// Created once per transfer; immutable, so threads can share it. A transfer of one site gains nothing.
class SiteCrc {
 public:
  // Any length, including 0. Throws std::bad_alloc.
  explicit SiteCrc(std::uint64_t site_bytes, InstructionSet set = active_instruction_set());

  std::uint64_t site_bytes() const noexcept { return site_bytes_; }

  // The loops of the instruction set for which this was created.
  const isa::Loops& loops() const noexcept { return *loops_; }
  InstructionSet instruction_set() const noexcept { return set_; }

  // True if the loops over sites should be used; otherwise crc32() is better for this length.
  bool is_dot_product() const noexcept { return !constants_.empty(); }
  isa::SiteTable table() const noexcept;

  // The CRC-32 of each of `sites` sites in file form, contiguous.
  void of_sites(const std::byte* file, std::size_t sites, std::uint32_t* crcs) const noexcept;

 private:
  // One cache line, so that no vector of constants straddles two.
  struct alignas(64) Line {
    std::uint64_t words[8] = {};
  };

  std::uint64_t site_bytes_;
  InstructionSet set_;
  const isa::Loops* loops_;
  std::vector<Line> constants_;
  std::uint32_t crc_of_zeros_ = 0;
};

// CRC-32 of long data by the loops over sites (site_crc.hpp): the data are divided into blocks, treated as sites of one
// length, and the CRCs of the blocks are joined. With vectors of 256 bits or more that is twice as fast as the
// libraries, which fold 128 bits at a time.
class LongCrc32 {
 public:
  static constexpr std::size_t block_bytes = 4096;

  // Throws std::bad_alloc.
  explicit LongCrc32(InstructionSet set);

  // True if these loops are faster than a stream: wide vectors are, and interleaved sites if the instructions of a
  // stream form a chain in which each waits for the previous one.
  static bool is_worth_it(InstructionSet set) noexcept;

  // Continues `crc` over the whole blocks at the beginning of `bytes`; the caller adds the rest.
  std::uint32_t of_blocks(std::uint32_t crc, base::Bytes bytes) const noexcept;

 private:
  // The CRC of something followed by a block of zeros, minus the CRC of the zeros alone: linear in each bit.
  std::uint32_t shifted(std::uint32_t crc) const noexcept {
    return shift_[0][crc & 0xff] ^ shift_[1][(crc >> 8) & 0xff] ^ shift_[2][(crc >> 16) & 0xff] ^ shift_[3][crc >> 24];
  }

  SiteCrc blocks_;
  std::array<std::array<std::uint32_t, 256>, 4> shift_{};
};

}  // namespace lq::kernels
