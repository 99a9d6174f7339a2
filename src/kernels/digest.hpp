// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums of sites in file form: sums built from CRC-32s, other sums, and the sum of the squares of numbers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <limequat/report.hpp>
#include <limequat/sums.hpp>

#include "base/bytes.hpp"
#include "base/inner.hpp"
#include "kernels/sha256.hpp"

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

// The weighted sum (<limequat/sums.hpp>) of the same CRC-32s. Its weights have no period: it detects exchanged sites
// that the rotations of the SciDAC checksum do not distinguish, whose ranks differ by a multiple of 899.
struct WeightedSum {
  std::uint64_t plain = 0;     // sum of the CRC-32s
  std::uint64_t weighted = 0;  // sum of CRC-32 times (site rank + 1)
  friend bool operator==(const WeightedSum&, const WeightedSum&) = default;
};

inline void add_site(WeightedSum& sum, std::uint64_t site_rank, std::uint32_t crc) noexcept {
  sum.plain += crc;
  sum.weighted += crc * (site_rank + 1);
}

// Adds `sites` sites that are contiguous in file form: site k has rank first_rank + k * rank_stride.
void add_sites(Checksum& sum, base::Bytes bytes, std::uint64_t site_bytes, std::uint64_t first_rank,
               std::uint64_t rank_stride) noexcept;

// Number of sites in `bytes` that hold only zero bytes; `first` and `last` are site numbers (valid if > 0).
struct ZeroSites {
  std::uint64_t count = 0, first = 0, last = 0;
};
ZeroSites find_zero_sites(base::Bytes bytes, std::uint64_t site_bytes) noexcept;

// The form of the numbers of a site in a file.
struct SiteNumbers {
  std::uint64_t numbers = 0;  // per site
  std::size_t number_bytes = 8;
  bool big_endian = true;
};
// The first site at or after `first` whose sum of squares is not between `least` and `most` (a NaN is not between
// anything); the number of sites if there is none.
std::uint64_t first_beyond(base::Bytes bytes, const SiteNumbers& form, std::uint64_t first, double least,
                           double most) noexcept;

// Sums that are not built from the CRC-32 of sites (<limequat/sums.hpp>): computed from bytes in file form and their
// place.

// Sum of 32-bit words in the byte order of the file; bytes after the last whole word are ignored.
std::uint32_t sum_of_words(base::Bytes bytes, bool big_endian) noexcept;

// XOR of the words rotated by their number mod 29 (suma) and mod 31 (sumb); the first one has number `first_word`.
Checksum rotated_words(base::Bytes bytes, bool big_endian, std::uint64_t first_word) noexcept;

// Exclusive or of the words.
std::uint32_t xor_of_words(base::Bytes bytes, bool big_endian) noexcept;

// SHA-256 of a site as defined by QLUA: the number of dimensions and the coordinates in 64 bits each, then the numbers,
// everything little-endian; padded: each number is followed by zero bytes up to eight bytes.
LQ_INNER Sha256::Words sha256_of_site(base::Bytes site, std::size_t number_bytes, bool big_endian,
                                      std::span<const std::int64_t> coordinates, bool is_padded = false) noexcept;

// The contribution of a block with CRC-32 `crc` and `bytes` bytes, followed by `behind` more bytes, to the CRC-32 of
// the whole. The exclusive or of all contributions and the CRC-32 of zeros of the total length is that CRC-32.
LQ_INNER std::uint32_t crc32_contribution(std::uint32_t crc, std::uint64_t bytes, std::uint64_t behind) noexcept;
// The CRC-32 of the given number of zero bytes.
std::uint32_t crc32_of_zeros(std::uint64_t bytes) noexcept;

// The sum of the squares of numbers, independent of their order: each square is rounded to double once and added to an
// integer of 2112 bits, whose digits can be summed across ranks.

// Digits of 32 bits from 2^-1088 on, and a count of squares that are not numbers. After each call of add_squares() all
// are below 2^32, so that those of 2^31 ranks can be added digit by digit.
inline constexpr std::size_t square_sum_words = 69;
using SquareSum = std::span<std::uint64_t, square_sum_words>;

void add_squares(SquareSum sum, base::Bytes numbers, std::size_t number_bytes, bool big_endian) noexcept;
// For matrices of su(3), eight numbers c1 ... c8 each: the sum of 2 (3 (c1^2 + c2^2 - c1 c2) + c3^2 + ... + c8^2).
void add_momentum_action(SquareSum sum, base::Bytes numbers, std::size_t number_bytes, bool big_endian) noexcept;
// Rounded; NaN if any square was not a number.
double value_of(std::span<const std::uint64_t, square_sum_words> sum) noexcept;

}  // namespace lq::kernels
