// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// SU(2) subgroups: an update of a link of SU(N) is a sequence of updates by elements of its SU(2) subgroups, each
// a heat bath or a reflection that keeps the action.
#pragma once

#include "physics/random.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {

// a0 + i (a1 sigma1 + a2 sigma2 + a3 sigma3), with sigma the Pauli matrices; in SU(2) if the norm is 1.
struct Quaternion {
  double a0 = 1, a1 = 0, a2 = 0, a3 = 0;
};

inline Quaternion conjugate(const Quaternion& q) noexcept { return {q.a0, -q.a1, -q.a2, -q.a3}; }

inline Quaternion operator*(const Quaternion& a, const Quaternion& b) noexcept {
  return {
      a.a0 * b.a0 - a.a1 * b.a1 - a.a2 * b.a2 - a.a3 * b.a3, a.a0 * b.a1 + a.a1 * b.a0 - (a.a2 * b.a3 - a.a3 * b.a2),
      a.a0 * b.a2 + a.a2 * b.a0 - (a.a3 * b.a1 - a.a1 * b.a3), a.a0 * b.a3 + a.a3 * b.a0 - (a.a1 * b.a2 - a.a2 * b.a1)};
}

// The part of a matrix that Re Tr(g w) depends on, for g in the subgroup that acts on two colours: size * direction.
struct Projection {
  double size = 0;
  Quaternion direction;
};

template <int N>
Projection project(const double* w, int i, int j) noexcept {
  const double* ii = w + 2 * (i * N + i);
  const double* ij = w + 2 * (i * N + j);
  const double* ji = w + 2 * (j * N + i);
  const double* jj = w + 2 * (j * N + j);
  const Quaternion q{0.5 * (ii[0] + jj[0]), 0.5 * (ij[1] + ji[1]), 0.5 * (ij[0] - ji[0]), 0.5 * (ii[1] - jj[1])};
  const double size = std::sqrt(q.a0 * q.a0 + q.a1 * q.a1 + q.a2 * q.a2 + q.a3 * q.a3);
  if (!(size > 1e-150)) return {};  // no direction is preferred
  return {size, {q.a0 / size, q.a1 / size, q.a2 / size, q.a3 / size}};
}

// Replaces u by g u, where g acts on colours i and j.
template <int N>
void multiply_left(const Quaternion& g, double* u, int i, int j) noexcept {
  double* first = u + 2 * i * N;
  double* second = u + 2 * j * N;
  for (int k = 0; k < 2 * N; k += 2) {
    const double a = first[k], b = first[k + 1], c = second[k], d = second[k + 1];
    first[k] = g.a0 * a - g.a3 * b + g.a2 * c - g.a1 * d;
    first[k + 1] = g.a0 * b + g.a3 * a + g.a2 * d + g.a1 * c;
    second[k] = -g.a2 * a - g.a1 * b + g.a0 * c + g.a3 * d;
    second[k + 1] = -g.a2 * b + g.a1 * a + g.a0 * d - g.a3 * c;
  }
}

// x in [-1, 1] with density proportional to sqrt(1 - x^2) exp(alpha x), alpha >= 0.
double draw_trace(double alpha, Random& random);

// g with density proportional to exp(alpha / 2 * Re Tr(g direction)).
Quaternion heat_bath(const Quaternion& direction, double alpha, Random& random);

// g other than 1 with Re Tr(g direction) = Re Tr(direction).
inline Quaternion reflection(const Quaternion& direction) noexcept {
  const Quaternion inverse = conjugate(direction);
  return inverse * inverse;
}

// Moves u to a nearby element of SU(2) or SU(3): rows orthonormal, determinant 1.
void reunitarise(Fixed<2> colors, double* u) noexcept;
void reunitarise(Fixed<3> colors, double* u) noexcept;

// A matrix of SU(N) drawn from the invariant measure.
template <int N>
void draw_matrix(Fixed<N> colors, double* u, Random& random);

}  // namespace lq::physics
