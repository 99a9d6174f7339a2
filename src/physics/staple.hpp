// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The staple of a link: what the Wilson action sees around it. With U the link, the plaquettes that contain it
// add up to Re Tr(U * staple).
#pragma once

#include "physics/links.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {

// Links transport from x+mu to x, so that for every nu other than mu the sum has
//   above  U_nu(x+mu) U_mu(x+nu)^dagger U_nu(x)^dagger
//   below  U_nu(x+mu-nu)^dagger U_mu(x-nu)^dagger U_nu(x-nu)
template <int N>
void add_up_staple(Fixed<N> colors, const Links& links, int mu, std::size_t x, double* staple) noexcept {
  const Halo& halo = links.halo();
  const std::size_t ahead = halo.up(x, mu);
  std::fill_n(staple, matrix_numbers(N), 0.0);
  Matrix<Fixed<N>> path, returning;
  for (int nu = 0; nu < links.directions(); ++nu) {
    if (nu == mu) continue;
    multiply(colors, links.at(nu, x), links.at(mu, halo.up(x, nu)), path.data());
    adjoint(colors, path.data(), returning.data());
    multiply_add(colors, links.at(nu, ahead), returning.data(), staple);

    const std::size_t below = halo.down(x, nu);
    multiply(colors, links.at(mu, below), links.at(nu, halo.up(below, mu)), path.data());
    adjoint(colors, path.data(), returning.data());
    multiply_add(colors, returning.data(), links.at(nu, below), staple);
  }
}

}  // namespace lq::physics
