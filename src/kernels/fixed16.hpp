// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites as integers of 16 bits beside the largest magnitude m of their numbers, rounded up to single precision:
// integer = number * 32767 / m, to nearest, and number = m * integer / 32767. Each step is one operation in double
// precision, so that every machine gets the same bits. A number is wrong by at most m / 65534, plus the rounding of m
// and of the number that is handed out: below m / 65000.
#pragma once

#include <cstddef>
#include <cstdint>

#include <limequat/field.hpp>

namespace lq::kernels {

// Words of 32 bits that a site takes.
constexpr std::uint64_t fixed16_words(std::uint64_t numbers) noexcept { return 1 + (numbers + 1) / 2; }

// `sites` sites of `numbers` numbers, `stride_bytes` apart in `memory`, become words in native byte order, one site
// after the other: the bits of m, then pairs of integers, the first in the high half. A site with a number that is not
// finite, or above the range of single precision, gets a NaN for m and is nothing but NaN afterwards; one whose numbers
// are all below 1.2e-38 becomes zero.
void to_fixed16(Precision precision, std::uint64_t numbers, const std::byte* memory, std::ptrdiff_t stride_bytes,
                std::uint64_t sites, std::byte* words) noexcept;

// The reverse.
void from_fixed16(Precision precision, std::uint64_t numbers, const std::byte* words, std::uint64_t sites,
                  std::byte* memory, std::ptrdiff_t stride_bytes) noexcept;

// Half precision as GPUs compute with it: integers one site after the other, and a norm for each, m / 32767; number =
// norm * integer. Memory is of floats, one site after the other. A site with a number that is not finite gets a NaN
// for norm and integers of 0; one whose norm would be below 1.2e-38 becomes zero.
void to_half(std::uint64_t numbers, const std::byte* memory, std::uint64_t sites, std::int16_t* integers,
             float* norms) noexcept;
void from_half(std::uint64_t numbers, const std::int16_t* integers, const float* norms, std::uint64_t sites,
               std::byte* memory) noexcept;

}  // namespace lq::kernels
