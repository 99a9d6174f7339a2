// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random numbers as a function of their purpose: Philox4x32-10 (Salmon et al., SC'11) turns seed, sweep, site, link and
// number of the draw into random bits, so there is no generator state that could depend on the ranks.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace lq::physics {

inline std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                               std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

// The purpose of the numbers.
struct Draws {
  std::uint64_t seed = 0;
  std::uint32_t sweep = 0;
  std::uint64_t site_rank = 0;
  std::uint32_t mu = 0;        // below 8
  std::uint32_t subgroup = 0;  // below 4
};

// The sequence of uniform numbers for one purpose.
class Random {
 public:
  explicit Random(const Draws& draws) noexcept
      : key_{static_cast<std::uint32_t>(draws.seed), static_cast<std::uint32_t>(draws.seed >> 32)},
        counter_{draws.sweep, static_cast<std::uint32_t>(draws.site_rank),
                 static_cast<std::uint32_t>(draws.site_rank >> 32), draws.mu | draws.subgroup << 3} {}

  // Two numbers in (0, 1), neither 0 nor 1, of 52 random bits each.
  std::array<double, 2> pair() noexcept {
    const auto bits = philox4x32(counter_, key_);
    counter_[3] += 1U << 5;  // the bits above link and subgroup count the draws
    return {uniform(bits[0], bits[1]), uniform(bits[2], bits[3])};
  }

 private:
  static double uniform(std::uint32_t high, std::uint32_t low) noexcept {
    const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;
    return (static_cast<double>(bits) + 0.5) * 0x1p-52;
  }

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
};

// ln x for x > 0, identical to the last bit on every machine, which libm does not guarantee; accurate to a few units of
// the last digit. With x = m 2^e and m around 1, ln m = 2 artanh((m - 1) / (m + 1)).
inline double logarithm(double x) noexcept {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double t = (m - 1) / (m + 1), square = t * t;
  double series = 0;
  for (int k = 23; k >= 1; k -= 2) series = series * square + 1.0 / k;
  return exponent * 0.69314718055994531 + 2 * t * series;
}

}  // namespace lq::physics
