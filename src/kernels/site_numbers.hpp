// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of sites in another order than in memory, or a selection of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <limequat/field.hpp>

#include "base/bytes.hpp"

namespace lq::kernels {

// Numbers of 16 bits: sites with their largest magnitude, and groups that share an exponent.

// 32-bit words per site.
constexpr std::uint64_t fixed16_words(std::uint64_t numbers) noexcept { return 1 + (numbers + 1) / 2; }

// Converts `sites` sites of `numbers` numbers, `stride_bytes` apart in `memory`, to contiguous words in native byte
// order: the bits of m, then pairs of integers, the first in the high half. A site with a number that is not finite or
// above the range of single precision gets a NaN for m and reads back as NaNs only; a site whose numbers are all below
// 1.2e-38 becomes zero.
void to_fixed16(Precision precision, std::uint64_t numbers, const std::byte* memory, std::ptrdiff_t stride_bytes,
                std::uint64_t sites, std::byte* words) noexcept;

// The reverse.
void from_fixed16(Precision precision, std::uint64_t numbers, const std::byte* words, std::uint64_t sites,
                  std::byte* memory, std::ptrdiff_t stride_bytes) noexcept;

// Half precision as used on GPUs: integers, contiguous, and a norm for each site, m / 32767; number = norm * integer.
// Memory holds contiguous sites of floats. A site with a number that is not finite gets a NaN for norm and integers of
// 0; a site whose norm would be below 1.2e-38 becomes zero.
void to_half(std::uint64_t numbers, const std::byte* memory, std::uint64_t sites, std::int16_t* integers,
             float* norms) noexcept;
void from_half(std::uint64_t numbers, const std::int16_t* integers, const float* norms, std::uint64_t sites,
               std::byte* memory) noexcept;

// Numbers of 16 bits in groups that share an exponent, as eigen-comp stores them (formats/eigen-comp.md 4). The
// arithmetic is single precision without contraction: identical results on every machine.

// Half the width of the interval that contains the numbers of a group: sqrt(2)^(exponent - 32767), rounded to single
// precision. 0 for a group of zeros, infinite if it exceeds single precision.
float half_width_of(std::uint16_t exponent) noexcept;

// Stored size of this many numbers, a multiple of `group`.
constexpr std::uint64_t shared_exponent_bytes(std::uint64_t numbers, std::uint64_t group) noexcept {
  return 2 * (numbers + numbers / group);
}

// `stored` has the bytes of values.size() numbers, a multiple of `group`. False: an exponent is so large that numbers
// of its group exceed single precision.
bool decode_shared_exponents(base::Bytes stored, std::size_t group, std::span<float> values) noexcept;

// Number k of each site in `to`, which is contiguous, is number order[k] of the site in `memory`, where sites are
// `stride_bytes` apart.
void gather_numbers(Precision precision, std::span<const std::uint32_t> order, const std::byte* memory,
                    std::ptrdiff_t stride_bytes, std::uint64_t sites, std::byte* to) noexcept;

// The reverse. Numbers that `order` does not name stay unchanged.
void scatter_numbers(Precision precision, std::span<const std::uint32_t> order, const std::byte* from,
                     std::uint64_t sites, std::byte* memory, std::ptrdiff_t stride_bytes) noexcept;

// The third row of each of `matrices` SU(3) matrices, contiguous: conj(row 0 x row 1), in their precision.
void rebuild_third_rows(Precision precision, std::byte* matrices_at, std::uint64_t matrices) noexcept;

// The second column of each of `matrices` SU(2) matrices, contiguous: (-conj(c), conj(a)) of the first (a,
// c).
void rebuild_second_columns(Precision precision, std::byte* matrices_at, std::uint64_t matrices) noexcept;

}  // namespace lq::kernels
