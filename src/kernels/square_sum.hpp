// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sum of the squares of numbers, which does not depend on their order: each square is rounded to double once and
// added to a number of 2112 bits, whose digits add up across ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"

namespace lq::kernels {

// Digits of 32 bits from 2^-1088 on, and a count of squares that are no numbers. After each call of add_squares() they
// are below 2^32, so that those of 2^31 ranks may be added digit by digit.
inline constexpr std::size_t square_sum_words = 69;
using SquareSum = std::span<std::uint64_t, square_sum_words>;

void add_squares(SquareSum sum, base::Bytes numbers, std::size_t number_bytes, bool big_endian) noexcept;
// Of matrices of su(3), eight numbers c1 ... c8 each, the sum of 2 (3 (c1^2 + c2^2 - c1 c2) + c3^2 + ... + c8^2).
void add_momentum_action(SquareSum sum, base::Bytes numbers, std::size_t number_bytes, bool big_endian) noexcept;
// Rounded; NaN if any square was no number.
double value_of(std::span<const std::uint64_t, square_sum_words> sum) noexcept;

}  // namespace lq::kernels
