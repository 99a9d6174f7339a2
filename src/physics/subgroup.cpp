// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Draws from the heat bath of SU(2), and links brought back to the group.
#include "physics/subgroup.hpp"

#include <cmath>
#include <numbers>

namespace lq::physics {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

// Kennedy and Pendleton, Phys. Lett. B 156 (1985) 393: 1 - x is drawn from a gamma distribution and corrected by
// rejection. Accepts often at large alpha.
double draw_by_gamma(double alpha, Random& random) {
  while (true) {
    const auto [r1, r2] = random.pair();
    const auto [r3, r4] = random.pair();
    const double cosine = std::cos(two_pi * r3);
    const double distance = -(std::log(r1) + cosine * cosine * std::log(r2)) / alpha;
    if (r4 * r4 <= 1 - 0.5 * distance) return 1 - distance;
  }
}

// Creutz, Phys. Rev. D 21 (1980) 2308: x is drawn from the exponential, the root is corrected by rejection. Accepts
// often at small alpha, down to 0.
double draw_by_exponential(double alpha, Random& random) {
  while (true) {
    const auto [r1, r2] = random.pair();
    const double x = alpha < 1e-8 ? 2 * r1 - 1 : std::log1p(r1 * std::expm1(2 * alpha)) / alpha - 1;
    if (r2 * r2 <= 1 - x * x) return x;
  }
}

void normalise(double* row, int numbers) noexcept {
  double square = 0;
  for (int k = 0; k < numbers; ++k) square += row[k] * row[k];
  const double scale = 1 / std::sqrt(square);
  for (int k = 0; k < numbers; ++k) row[k] *= scale;
}

}  // namespace

double draw_trace(double alpha, Random& random) {
  return alpha > 2 ? draw_by_gamma(alpha, random) : draw_by_exponential(alpha, random);
}

Quaternion heat_bath(const Quaternion& direction, double alpha, Random& random) {
  const double x = draw_trace(alpha, random);
  const auto [r1, r2] = random.pair();
  const double radius = std::sqrt(std::max(0.0, 1 - x * x));
  const double cosine = 1 - 2 * r1;
  const double sine = std::sqrt(std::max(0.0, 1 - cosine * cosine));
  const Quaternion drawn{x, radius * sine * std::cos(two_pi * r2), radius * sine * std::sin(two_pi * r2),
                         radius * cosine};
  return drawn * conjugate(direction);
}

void reunitarise(Fixed<2>, double* u) noexcept {
  normalise(u, 4);
  u[4] = -u[2];
  u[5] = u[3];
  u[6] = u[0];
  u[7] = -u[1];
}

void reunitarise(Fixed<3>, double* u) noexcept {
  double* second = u + 6;
  double* third = u + 12;
  normalise(u, 6);
  double re = 0, im = 0;
  for (int k = 0; k < 6; k += 2) {
    re += u[k] * second[k] + u[k + 1] * second[k + 1];
    im += u[k] * second[k + 1] - u[k + 1] * second[k];
  }
  for (int k = 0; k < 6; k += 2) {
    second[k] -= re * u[k] - im * u[k + 1];
    second[k + 1] -= re * u[k + 1] + im * u[k];
  }
  normalise(second, 6);
  // The third row of a matrix of SU(3) is the conjugate of the cross product of the others.
  for (int k = 0; k < 3; ++k) {
    const int p = 2 * ((k + 1) % 3), q = 2 * ((k + 2) % 3);
    third[2 * k] = (u[p] * second[q] - u[p + 1] * second[q + 1]) - (u[q] * second[p] - u[q + 1] * second[p + 1]);
    third[2 * k + 1] = -((u[p] * second[q + 1] + u[p + 1] * second[q]) - (u[q] * second[p + 1] + u[q + 1] * second[p]));
  }
}

template <int N>
void draw_matrix(Fixed<N> colors, double* u, Random& random) {
  // Rows of normally distributed numbers have no preferred direction.
  for (std::size_t i = 0; i < matrix_numbers(N); i += 2) {
    const auto [r1, r2] = random.pair();
    const double radius = std::sqrt(-2 * std::log(r1));
    u[i] = radius * std::cos(two_pi * r2);
    u[i + 1] = radius * std::sin(two_pi * r2);
  }
  reunitarise(colors, u);
}

template void draw_matrix(Fixed<2>, double*, Random&);
template void draw_matrix(Fixed<3>, double*, Random&);

}  // namespace lq::physics
