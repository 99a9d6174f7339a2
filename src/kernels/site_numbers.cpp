// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory need not be aligned for its numbers.
#include "kernels/site_numbers.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/float_environment.hpp"

namespace lq::kernels {

// Memory need not be aligned for its numbers.

namespace {

constexpr double largest_integer = 32767;
constexpr float smallest_magnitude = std::numeric_limits<float>::min();

template <class Number>
Number load(const std::byte* at) noexcept {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

template <class Value>
void store(std::byte* at, Value value) noexcept {
  std::memcpy(at, &value, sizeof value);
}

// Halves away from zero, as std::round, which would need the maths library: static archives depend on the C library
// only. Numbers fit 32 bits.
double nearest(double number) noexcept {
  const double whole = static_cast<double>(static_cast<std::int32_t>(number));
  const double rest = number - whole;
  return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole;
}

// The largest magnitude of all numbers, rounded up; NaN if one is not finite, or too large.
template <class Number>
float magnitude_of(std::uint64_t numbers, const std::byte* site) noexcept {
  double largest = 0;
  for (std::uint64_t k = 0; k < numbers; ++k) {
    const double size = std::fabs(static_cast<double>(load<Number>(site + k * sizeof(Number))));
    // Unlike std::max, it keeps a NaN.
    largest = size <= largest ? largest : size;
    if (!(size <= std::numeric_limits<float>::max())) return std::numeric_limits<float>::quiet_NaN();
  }
  float magnitude = static_cast<float>(largest);
  if (magnitude < largest)
    magnitude = std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) + 1);  // the next float
  if (!(magnitude <= std::numeric_limits<float>::max())) return std::numeric_limits<float>::quiet_NaN();
  return magnitude < smallest_magnitude ? 0.0F : magnitude;
}

std::uint32_t bits_of(double integer) noexcept {
  return static_cast<std::uint16_t>(static_cast<std::int16_t>(integer));
}

template <class Number>
void encode(std::uint64_t numbers, const std::byte* memory, std::ptrdiff_t stride, std::uint64_t sites,
            std::byte* words) noexcept {
  for (std::uint64_t site = 0; site < sites; ++site, memory += stride) {
    const float magnitude = magnitude_of<Number>(numbers, memory);
    store(words, std::bit_cast<std::uint32_t>(magnitude));
    words += 4;
    const bool has_numbers = magnitude > 0;
    const auto integer_of = [&](std::uint64_t k) noexcept -> std::uint32_t {
      if (!has_numbers || k >= numbers) return 0;
      const auto number = static_cast<double>(load<Number>(memory + k * sizeof(Number)));
      return bits_of(nearest(number * largest_integer / static_cast<double>(magnitude)));
    };
    for (std::uint64_t k = 0; k < numbers; k += 2, words += 4) store(words, integer_of(k) << 16 | integer_of(k + 1));
  }
}

template <class Number>
void decode(std::uint64_t numbers, const std::byte* words, std::uint64_t sites, std::byte* memory,
            std::ptrdiff_t stride) noexcept {
  for (std::uint64_t site = 0; site < sites; ++site, memory += stride) {
    const auto magnitude = static_cast<double>(load<float>(words));
    words += 4;
    for (std::uint64_t k = 0; k < numbers; ++k) {
      const auto word = load<std::uint32_t>(words + k / 2 * 4);
      const auto integer = static_cast<std::int16_t>(k % 2 == 0 ? word >> 16 : word & 0xffff);
      store(memory + k * sizeof(Number), static_cast<Number>(magnitude * integer / largest_integer));
    }
    words += (numbers + 1) / 2 * 4;
  }
}

}  // namespace

void to_fixed16(Precision precision, std::uint64_t numbers, const std::byte* memory, std::ptrdiff_t stride_bytes,
                std::uint64_t sites, std::byte* words) noexcept {
  const base::DefaultFloatEnvironment as_in_the_format;
  if (precision == Precision::single) return encode<float>(numbers, memory, stride_bytes, sites, words);
  encode<double>(numbers, memory, stride_bytes, sites, words);
}

void from_fixed16(Precision precision, std::uint64_t numbers, const std::byte* words, std::uint64_t sites,
                  std::byte* memory, std::ptrdiff_t stride_bytes) noexcept {
  const base::DefaultFloatEnvironment as_in_the_format;
  if (precision == Precision::single) return decode<float>(numbers, words, sites, memory, stride_bytes);
  decode<double>(numbers, words, sites, memory, stride_bytes);
}

void to_half(std::uint64_t numbers, const std::byte* memory, std::uint64_t sites, std::int16_t* integers,
             float* norms) noexcept {
  const base::DefaultFloatEnvironment as_in_the_format;
  for (std::uint64_t site = 0; site < sites; ++site, memory += numbers * sizeof(float), integers += numbers) {
    float norm = static_cast<float>(static_cast<double>(magnitude_of<float>(numbers, memory)) / largest_integer);
    if (norm < smallest_magnitude) norm = 0;
    // Rounded up, the norm of the largest numbers would bring them back as infinities.
    if (norm * static_cast<float>(largest_integer) > std::numeric_limits<float>::max()) {
      norm = std::bit_cast<float>(std::bit_cast<std::uint32_t>(norm) - 1);
    }
    norms[site] = norm;
    for (std::uint64_t k = 0; k < numbers; ++k) {
      const auto number = static_cast<double>(load<float>(memory + k * sizeof(float)));
      integers[k] = norm > 0 ? static_cast<std::int16_t>(nearest(number / static_cast<double>(norm))) : std::int16_t{0};
    }
  }
}

void from_half(std::uint64_t numbers, const std::int16_t* integers, const float* norms, std::uint64_t sites,
               std::byte* memory) noexcept {
  const base::DefaultFloatEnvironment as_in_the_format;
  for (std::uint64_t site = 0; site < sites; ++site) {
    for (std::uint64_t k = 0; k < numbers; ++k, memory += sizeof(float)) {
      store(memory, static_cast<float>(*integers++) * norms[site]);
    }
  }
}

float half_width_of(std::uint16_t exponent) noexcept {
  constexpr int bias = 32767;
  constexpr double root = 1.4142135623730951;
  const int power = static_cast<int>(exponent) - bias;
  const int half = power >= 0 ? power / 2 : -((1 - power) / 2);
  // A power of 2 is exact; the root is rounded once.
  return static_cast<float>(std::ldexp(power - 2 * half == 0 ? 1.0 : root, half));
}

bool decode_shared_exponents(base::Bytes stored, std::size_t group, std::span<float> values) noexcept {
  constexpr float steps = 65536;
  const std::byte* at = stored.data();
  bool is_sound = true;
  for (std::size_t k = 0; k < values.size(); k += group) {
    const float most = half_width_of(base::load_le<std::uint16_t>(at)), width = most - -most;
    for (std::size_t i = 0; i < group; ++i) {
      at += 2;
      const float middle = static_cast<float>(base::load_le<std::uint16_t>(at)) + 0.5F;
      values[k + i] = -most + middle * width / steps;
      is_sound = is_sound && std::isfinite(values[k + i]);
    }
    at += 2;
  }
  return is_sound;
}

namespace {

// True if the numbers of `order` are consecutive in groups of `count`.
bool is_in_groups_of(std::size_t count, std::span<const std::uint32_t> order) noexcept {
  if (order.size() % count != 0) return false;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k % count != 0 && order[k] != order[k - 1] + 1) return false;
  }
  return true;
}

template <std::size_t bytes>
struct Groups {
  std::size_t count, number_bytes;
  std::span<const std::uint32_t> order;

  void gather(const std::byte* memory, std::ptrdiff_t stride, std::uint64_t sites, std::byte* to) const noexcept {
    for (std::uint64_t site = 0; site < sites; ++site, memory += stride) {
      for (std::size_t k = 0; k < order.size(); k += count, to += bytes) {
        std::memcpy(to, memory + order[k] * number_bytes, bytes);
      }
    }
  }
  void scatter(const std::byte* from, std::uint64_t sites, std::byte* memory, std::ptrdiff_t stride) const noexcept {
    for (std::uint64_t site = 0; site < sites; ++site, memory += stride) {
      for (std::size_t k = 0; k < order.size(); k += count, from += bytes) {
        std::memcpy(memory + order[k] * number_bytes, from, bytes);
      }
    }
  }
};

// Rows of 3x3 matrices, complex numbers and single ones: the longer a group, the fewer copies.
template <class Number, class Work>
void with_groups(std::span<const std::uint32_t> order, Work&& work) noexcept {
  constexpr std::size_t size = sizeof(Number);
  if (is_in_groups_of(6, order)) return work(Groups<6 * size>{6, size, order});
  if (is_in_groups_of(2, order)) return work(Groups<2 * size>{2, size, order});
  work(Groups<size>{1, size, order});
}

template <class Number>
struct Complex {
  Number re, im;
};

// conj(a b - c d)
template <class Number>
Complex<Number> minor(Complex<Number> a, Complex<Number> b, Complex<Number> c, Complex<Number> d) noexcept {
  return {a.re * b.re - a.im * b.im - (c.re * d.re - c.im * d.im),
          -(a.re * b.im + a.im * b.re - (c.re * d.im + c.im * d.re))};
}

template <class Number>
void rebuild(std::byte* at, std::uint64_t matrices) noexcept {
  Complex<Number> u[3][3];
  for (; matrices > 0; --matrices, at += sizeof u) {
    std::memcpy(u, at, sizeof u);
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      u[2][k] = minor(u[0][i], u[1][j], u[0][j], u[1][i]);
    }
    std::memcpy(at, u, sizeof u);
  }
}

template <class Number>
void rebuild_columns(std::byte* at, std::uint64_t matrices) noexcept {
  Complex<Number> u[2][2];
  for (; matrices > 0; --matrices, at += sizeof u) {
    std::memcpy(u, at, sizeof u);
    u[0][1] = {-u[1][0].re, u[1][0].im};
    u[1][1] = {u[0][0].re, -u[0][0].im};
    std::memcpy(at, u, sizeof u);
  }
}

}  // namespace

void gather_numbers(Precision precision, std::span<const std::uint32_t> order, const std::byte* memory,
                    std::ptrdiff_t stride_bytes, std::uint64_t sites, std::byte* to) noexcept {
  const auto gather = [&](const auto& groups) { groups.gather(memory, stride_bytes, sites, to); };
  if (precision == Precision::single) return with_groups<float>(order, gather);
  with_groups<double>(order, gather);
}

void scatter_numbers(Precision precision, std::span<const std::uint32_t> order, const std::byte* from,
                     std::uint64_t sites, std::byte* memory, std::ptrdiff_t stride_bytes) noexcept {
  const auto scatter = [&](const auto& groups) { groups.scatter(from, sites, memory, stride_bytes); };
  if (precision == Precision::single) return with_groups<float>(order, scatter);
  with_groups<double>(order, scatter);
}

void rebuild_third_rows(Precision precision, std::byte* matrices_at, std::uint64_t matrices) noexcept {
  if (precision == Precision::single) return rebuild<float>(matrices_at, matrices);
  rebuild<double>(matrices_at, matrices);
}

void rebuild_second_columns(Precision precision, std::byte* matrices_at, std::uint64_t matrices) noexcept {
  if (precision == Precision::single) return rebuild_columns<float>(matrices_at, matrices);
  rebuild_columns<double>(matrices_at, matrices);
}

}  // namespace lq::kernels
