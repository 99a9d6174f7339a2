// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32 of sites, which all have one length: what can be computed once for that length, before the first site.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/dispatch.hpp"

namespace lq::kernels {

// Made once per transfer; shared by threads freely, for it never changes. A transfer of one site gains nothing.
class SiteCrc {
 public:
  // Any length, 0 too. Throws std::bad_alloc.
  explicit SiteCrc(std::uint64_t site_bytes, InstructionSet set = active_instruction_set());

  std::uint64_t site_bytes() const noexcept { return site_bytes_; }

  // The loops of the instruction set that this was made for.
  const isa::Loops& loops() const noexcept { return *loops_; }
  InstructionSet instruction_set() const noexcept { return set_; }

  // Whether the loops over sites are to be used; if not, crc32() is the better one for this length.
  bool is_dot_product() const noexcept { return !constants_.empty(); }
  isa::SiteTable table() const noexcept;

  // The CRC-32 of each of `sites` sites in file form, contiguous.
  void of_sites(const std::byte* file, std::size_t sites, std::uint32_t* crcs) const noexcept;

 private:
  // Of one cache line, so that no vector of constants straddles two.
  struct alignas(64) Line {
    std::uint64_t words[8] = {};
  };

  std::uint64_t site_bytes_;
  InstructionSet set_;
  const isa::Loops* loops_;
  std::vector<Line> constants_;
  std::uint32_t crc_of_zeros_ = 0;
};

}  // namespace lq::kernels
