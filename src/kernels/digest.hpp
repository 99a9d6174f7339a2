// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The SciDAC checksum of sites (formats/scidac.md): partial sums of disjoint site sets combine by XOR.
#pragma once

#include <bit>
#include <cstdint>

#include <limequat/report.hpp>

#include "base/bytes.hpp"

namespace lq::kernels {

// formats/scidac.md: rotate by site rank mod 29, then mod 31; the rank is 64 bit.
inline void add_site(Checksum& sum, std::uint64_t site_rank, std::uint32_t crc) noexcept {
  sum.suma ^= std::rotl(crc, static_cast<int>(site_rank % 29));
  sum.sumb ^= std::rotl(crc, static_cast<int>(site_rank % 31));
}

inline void combine(Checksum& sum, const Checksum& other) noexcept {
  sum.suma ^= other.suma;
  sum.sumb ^= other.sumb;
}

// Adds `sites` sites that lie one behind the other in file form: site k has rank first_rank + k * rank_stride.
void add_sites(Checksum& sum, base::Bytes bytes, std::uint64_t site_bytes, std::uint64_t first_rank,
               std::uint64_t rank_stride) noexcept;

// How many of the sites in `bytes` hold only zero bytes; `first` and `last` are their numbers (valid if > 0).
struct ZeroSites {
  std::uint64_t count = 0, first = 0, last = 0;
};
ZeroSites find_zero_sites(base::Bytes bytes, std::uint64_t site_bytes) noexcept;

}  // namespace lq::kernels
