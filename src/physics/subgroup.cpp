// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Draws from the heat bath of SU(2), and projection of links to the group. Uses only operations that IEEE 754 defines
// to the last bit, and no libm function except the square root: a seed gives the same links on every machine.
#include "physics/subgroup.hpp"

#include <algorithm>
#include <cmath>

namespace lq::physics {
namespace {

// A point in the unit disc other than the centre, and the square of its distance from the centre.
struct DiscPoint {
  double x = 0, y = 0, square = 0;
};
DiscPoint draw_disc_point(Random& random) {
  while (true) {
    const auto [r1, r2] = random.pair();
    const double x = 2 * r1 - 1, y = 2 * r2 - 1;
    const double square = x * x + y * y;
    if (square < 1 && square > 0) return {x, y, square};
  }
}

// Kennedy and Pendleton, Phys. Lett. B 156 (1985) 393: 1 - x is drawn from a gamma distribution and corrected by
// rejection. Accepts often at large alpha.
double draw_by_gamma(double alpha, Random& random) {
  while (true) {
    const auto [r1, r2] = random.pair();
    const DiscPoint point = draw_disc_point(random);
    const double cosine_squared = point.x * point.x / point.square;
    const double distance = -(logarithm(r1) + cosine_squared * logarithm(r2)) / alpha;
    const double r = random.pair()[0];
    if (r * r <= 1 - 0.5 * distance) return 1 - distance;
  }
}

// Plain rejection. Accepts often at small alpha, down to 0.
double draw_by_rejection(double alpha, Random& random) {
  while (true) {
    const auto [r1, r2] = random.pair();
    const double x = 2 * r1 - 1;
    if (logarithm(r2 * r2 / (1 - x * x)) <= 2 * alpha * (x - 1)) return x;
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
  // At this value both accept two draws in five, their worst rate.
  return alpha > 0.75 ? draw_by_gamma(alpha, random) : draw_by_rejection(alpha, random);
}

Quaternion heat_bath(const Quaternion& direction, double alpha, Random& random) {
  const double x = draw_trace(alpha, random);
  const double radius = std::sqrt(std::max(0.0, 1 - x * x));
  const DiscPoint point = draw_disc_point(random);  // becomes a direction in space (Marsaglia)
  const double scale = 2 * radius * std::sqrt(1 - point.square);
  const Quaternion drawn{x, scale * point.x, scale * point.y, radius * (1 - 2 * point.square)};
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
  // The third row of an SU(3) matrix is the conjugate of the cross product of the others.
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
    const DiscPoint point = draw_disc_point(random);
    const double scale = std::sqrt(-2 * logarithm(point.square) / point.square);
    u[i] = scale * point.x;
    u[i + 1] = scale * point.y;
  }
  reunitarise(colors, u);
}

template void draw_matrix(Fixed<2>, double*, Random&);
template void draw_matrix(Fixed<3>, double*, Random&);

}  // namespace lq::physics
