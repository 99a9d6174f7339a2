// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/shared_exponent.hpp"

#include <cmath>

namespace lq::kernels {

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

}  // namespace lq::kernels
