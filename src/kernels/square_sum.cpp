// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/square_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "base/float_environment.hpp"

namespace lq::kernels {
namespace {

constexpr std::size_t digits = square_sum_words - 1;
constexpr int lowest = -1088;  // exponent of the first digit, a multiple of 32 below that of the smallest number
constexpr std::uint64_t below = 0xffffffff;
constexpr std::size_t before_carry = 1U << 16;  // squares added between two carries
constexpr int no_number = 0x7ff;                // exponent field of infinities and NaNs
// The largest finite square ends within the digits.
static_assert((no_number - 1 - 1075 - lowest) / 32 + 2 < static_cast<int>(digits));

double number_at(const std::byte* at, std::size_t bytes, bool big_endian) noexcept {
  if (bytes == 4) {
    return std::bit_cast<float>(big_endian ? base::load_be<std::uint32_t>(at) : base::load_le<std::uint32_t>(at));
  }
  return std::bit_cast<double>(big_endian ? base::load_be<std::uint64_t>(at) : base::load_le<std::uint64_t>(at));
}

void add(SquareSum sum, double square) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(square);
  // Squares have no sign, but NaNs may have one, such as the 0/0 of x86.
  const auto exponent = static_cast<int>(bits >> 52 & no_number);
  if (exponent == no_number) {
    ++sum[digits];
    return;
  }
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const auto place = static_cast<unsigned>((exponent == 0 ? 1 : exponent) - 1075 - lowest);
  const std::size_t digit = place / 32;
  const unsigned shift = place % 32;
  // 53 bits, shifted by up to 31, are in three digits.
  const std::uint64_t low = mantissa & below, high = mantissa >> 32;
  const std::uint64_t first = low << shift, second = high << shift;
  sum[digit] += first & below;
  sum[digit + 1] += (first >> 32) + (second & below);
  sum[digit + 2] += second >> 32;
}

void carry(SquareSum sum) noexcept {
  for (std::size_t k = 0; k + 1 < digits; ++k) {
    sum[k + 1] += sum[k] >> 32;
    sum[k] &= below;
  }
}

}  // namespace

void add_squares(SquareSum sum, base::Bytes numbers, std::size_t number_bytes, bool big_endian) noexcept {
  std::size_t waiting = 0;
  for (std::size_t at = 0; at + number_bytes <= numbers.size(); at += number_bytes) {
    const double number = number_at(numbers.data() + at, number_bytes, big_endian);
    add(sum, number * number);
    if (++waiting % before_carry == 0) carry(sum);
  }
  carry(sum);
}

void add_momentum_action(SquareSum sum, base::Bytes numbers, std::size_t number_bytes, bool big_endian) noexcept {
  constexpr std::size_t coefficients = 8;
  const std::size_t matrix = coefficients * number_bytes;
  std::size_t waiting = 0;
  for (std::size_t at = 0; at + matrix <= numbers.size(); at += matrix) {
    std::array<double, coefficients> c{};
    for (std::size_t k = 0; k < coefficients; ++k) {
      c[k] = number_at(numbers.data() + at + k * number_bytes, number_bytes, big_endian);
    }
    // Not below half of the two squares, whatever the rounding.
    double action = 3 * (c[0] * c[0] + c[1] * c[1] - c[0] * c[1]);
    for (std::size_t k = 2; k < coefficients; ++k) action += c[k] * c[k];
    add(sum, std::abs(2 * action));
    if (++waiting % before_carry == 0) carry(sum);
  }
  carry(sum);
}

double value_of(std::span<const std::uint64_t, square_sum_words> sum) noexcept {
  const base::DefaultFloatEnvironment as_in_the_format;
  if (sum[digits] != 0) return std::numeric_limits<double>::quiet_NaN();
  std::array<std::uint64_t, square_sum_words> carried{};
  std::copy(sum.begin(), sum.end(), carried.begin());
  carry(carried);
  double value = 0;
  // From the lowest digit, each of which is added with an error far below what the next ones leave.
  for (std::size_t k = 0; k < digits; ++k) {
    value += std::ldexp(static_cast<double>(carried[k]), lowest + 32 * static_cast<int>(k));
  }
  return value;
}

}  // namespace lq::kernels
