// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The field strength in its clover definition, and the energy and topological charge at each site.
#pragma once

#include <cstddef>
#include <vector>

#include "physics/links.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {

// Not thread-safe. F of a plane is the Hermitian part (C - C^dagger) / 8i, where C is the sum of the four plaquettes in
// it that begin and end at the site. The copies in `links` (Reach::loops) are up to date.
template <class Colors>
class FieldStrength {
 public:
  FieldStrength(Colors colors, const Links& links)
      : colors_(colors),
        links_(links),
        planes_(static_cast<std::size_t>(links.directions() * (links.directions() - 1) / 2)),
        numbers_(planes_ * matrix_numbers(colors)),
        clover_(colors),
        path_(colors),
        other_(colors) {}

  void set_site(std::size_t x) noexcept {
    double* f = numbers_.data();
    for (int mu = 0; mu < links_.directions(); ++mu) {
      for (int nu = mu + 1; nu < links_.directions(); ++nu, f += matrix_numbers(colors_)) {
        add_leaves(mu, nu, x);
        take_hermitian_part(f);
      }
    }
  }

  std::size_t planes() const noexcept { return planes_; }
  // Tr F^2 of a plane without the trace of F, as in the Lie algebra of SU(N).
  double energy(std::size_t plane) const noexcept {
    const double* f = of(plane);
    const double trace = real_trace(colors_, f);
    return real_trace_with_adjoint(colors_, f, f) - trace * trace / colors_;
  }
  // Tr(F_xy F_zt - F_xz F_yt + F_xt F_yz), in four dimensions.
  double charge() const noexcept {
    return real_trace_with_adjoint(colors_, of(0), of(5)) - real_trace_with_adjoint(colors_, of(1), of(4)) +
           real_trace_with_adjoint(colors_, of(2), of(3));
  }

 private:
  const double* of(std::size_t plane) const noexcept { return numbers_.data() + plane * matrix_numbers(colors_); }

  void add_leaves(int mu, int nu, std::size_t x) noexcept {
    const Halo& halo = links_.halo();
    const std::size_t ahead = halo.up(x, mu), above = halo.up(x, nu), behind = halo.down(x, mu),
                      below = halo.down(x, nu), under = halo.down(below, mu);
    const auto link = [&](int direction, std::size_t cell) { return links_.at(direction, cell); };
    double *clover = clover_.data(), *path = path_.data(), *other = other_.data();
    // x, x+mu, x+mu+nu, x+nu
    multiply(colors_, link(nu, x), link(mu, above), path);
    adjoint(colors_, path, other);
    multiply(colors_, link(mu, x), link(nu, ahead), path);
    multiply(colors_, path, other, clover);
    // x, x+nu, x-mu+nu, x-mu
    multiply(colors_, link(nu, behind), link(mu, halo.up(behind, nu)), path);
    adjoint(colors_, path, other);
    multiply(colors_, other, link(mu, behind), path);
    multiply_add(colors_, link(nu, x), path, clover);
    // x, x-mu, x-mu-nu, x-nu
    multiply(colors_, link(nu, under), link(mu, behind), path);
    adjoint(colors_, path, other);
    multiply(colors_, link(mu, under), link(nu, below), path);
    multiply_add(colors_, other, path, clover);
    // x, x-nu, x+mu-nu, x+mu
    multiply(colors_, link(mu, below), link(nu, halo.up(below, mu)), path);
    adjoint(colors_, path, other);
    multiply(colors_, other, link(nu, below), path);
    adjoint(colors_, path, other);
    adjoint(colors_, link(mu, x), path);
    multiply_add(colors_, other, path, clover);
  }

  void take_hermitian_part(double* f) const noexcept {
    const int n = colors_;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const auto difference =
            element(colors_, clover_.data(), i, j) - std::conj(element(colors_, clover_.data(), j, i));
        set_element(colors_, f, i, j, {difference.imag() / 8, -difference.real() / 8});
      }
    }
  }

  Colors colors_;
  const Links& links_;
  std::size_t planes_;
  std::vector<double> numbers_;
  Matrix<Colors> clover_, path_, other_;
};

}  // namespace lq::physics
