// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers that data of any origin may hold: all exponents with both signs, zeros, subnormal numbers, infinities, and
// NaNs, quiet and signalling, of several payloads.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace lq::testing {

template <class Number>
std::vector<Number> every_number() {
  using Word = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
  constexpr unsigned mantissa = sizeof(Number) == 8 ? 52 : 23, exponents = sizeof(Number) == 8 ? 2048 : 256;
  constexpr Word all = (Word{1} << mantissa) - 1, half = Word{1} << (mantissa - 1);
  std::vector<Number> numbers;
  for (Word exponent = 0; exponent < exponents; ++exponent) {
    for (const Word fraction : {Word{0}, Word{1}, half, half - 1, all, all / 3}) {
      for (const Word sign : {Word{0}, Word{1}}) {
        numbers.push_back(std::bit_cast<Number>(
            static_cast<Word>(sign << (8 * sizeof(Number) - 1) | exponent << mantissa | fraction)));
      }
    }
  }
  return numbers;
}

}  // namespace lq::testing
