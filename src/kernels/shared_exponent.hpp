// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of 16 bits, a group of which shares an exponent, as eigen-comp stores them (formats/eigen-comp.md 4). The
// arithmetic is single precision without contraction: the same numbers on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"

namespace lq::kernels {

// Half the width of the interval that the numbers of a group lie in: sqrt(2)^(exponent - 32767), rounded to single
// precision. 0 for a group of zeros, infinite where it is no number of single precision.
float half_width_of(std::uint16_t exponent) noexcept;

// Bytes of this many numbers, a multiple of `group`.
constexpr std::uint64_t shared_exponent_bytes(std::uint64_t numbers, std::uint64_t group) noexcept {
  return 2 * (numbers + numbers / group);
}

// `stored` has the bytes of values.size() numbers, a multiple of `group`. False: an exponent is so large that numbers
// of its group are beyond single precision.
bool decode_shared_exponents(base::Bytes stored, std::size_t group, std::span<float> values) noexcept;

}  // namespace lq::kernels
