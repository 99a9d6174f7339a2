// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums made of the CRC-32 of sites: the SciDAC checksum (formats/scidac.md), of which partial sums of disjoint site
// sets combine by XOR, and the weighted sum, of which they combine by addition.
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

// The weighted sum (<limequat/sums.hpp>) of the same CRC-32. Its weights have no period: it knows sites apart that the
// rotations of the SciDAC checksum do not, those of ranks that differ by a multiple of 899.
struct WeightedSum {
  std::uint64_t plain = 0;     // of the CRC-32
  std::uint64_t weighted = 0;  // of the CRC-32 times (site rank + 1)
  friend bool operator==(const WeightedSum&, const WeightedSum&) = default;
};

inline void add_site(WeightedSum& sum, std::uint64_t site_rank, std::uint32_t crc) noexcept {
  sum.plain += crc;
  sum.weighted += crc * (site_rank + 1);
}

// Adds `sites` sites that are contiguous in file form: site k has rank first_rank + k * rank_stride.
void add_sites(Checksum& sum, base::Bytes bytes, std::uint64_t site_bytes, std::uint64_t first_rank,
               std::uint64_t rank_stride) noexcept;

// How many of the sites in `bytes` hold only zero bytes; `first` and `last` are their numbers (valid if > 0).
struct ZeroSites {
  std::uint64_t count = 0, first = 0, last = 0;
};
ZeroSites find_zero_sites(base::Bytes bytes, std::uint64_t site_bytes) noexcept;

// Numbers of sites in a file.
struct SiteNumbers {
  std::uint64_t numbers = 0;  // of a site
  std::size_t number_bytes = 8;
  bool big_endian = true;
};
// The number of the first site from `first` on, the sum of whose squares is not between `least` and `most` (a NaN is
// between nothing); that of all sites if there is none.
std::uint64_t first_beyond(base::Bytes bytes, const SiteNumbers& form, std::uint64_t first, double least,
                           double most) noexcept;

}  // namespace lq::kernels
