// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A gauge field in the form used for computation: doubles, all links of one direction together, cells as in a Halo.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/resize_interruptibly.hpp"
#include "physics/halo.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {

class Links {
 public:
  // Collective.
  Links(const Grid& grid, int colors, Reach reach, const Colouring& colouring = {})
      : colours_(colouring.colours()),
        directions_(grid.extents().size()),
        link_numbers_(matrix_numbers(colors)),
        halo_(grid, reach, colouring, [&](std::size_t cells) {
          base::resize_interruptibly(numbers_, static_cast<std::size_t>(directions_) * cells * link_numbers_);
        }) {}

  const Halo& halo() const noexcept { return halo_; }
  int directions() const noexcept { return directions_; }

  double* at(int mu, std::size_t cell) noexcept { return numbers_.data() + offset(mu, cell); }
  const double* at(int mu, std::size_t cell) const noexcept { return numbers_.data() + offset(mu, cell); }

  // All links of one local site, in the order of memory and files: mu slowest.
  void set_site(std::size_t cell, std::span<const double> numbers) noexcept {
    for (int mu = 0; mu < directions_; ++mu) {
      std::copy_n(numbers.data() + static_cast<std::size_t>(mu) * link_numbers_, link_numbers_, at(mu, cell));
    }
  }
  // The same for several consecutive sites.
  void set_sites(std::size_t cell, std::span<const double> numbers) noexcept {
    const std::size_t of_site = static_cast<std::size_t>(directions_) * link_numbers_;
    for (std::size_t at = 0; at < numbers.size(); at += of_site) set_site(cell++, numbers.subspan(at, of_site));
  }
  void get_site(std::size_t cell, double* numbers) const noexcept {
    for (int mu = 0; mu < directions_; ++mu) numbers = std::copy_n(at(mu, cell), link_numbers_, numbers);
  }

  // Collective. Refreshes the copies of links of other ranks: those of one direction and colour, or all.
  void refresh(int mu, int colour) {
    std::byte* const array = reinterpret_cast<std::byte*>(at(mu, 0));
    halo_.refresh({&array, 1}, link_numbers_ * sizeof(double), colour);
  }
  void refresh() {
    std::array<std::byte*, max_dimensions> arrays{};
    for (int mu = 0; mu < directions_; ++mu)
      arrays[static_cast<std::size_t>(mu)] = reinterpret_cast<std::byte*>(at(mu, 0));
    for (int colour = 0; colour < colours_; ++colour) {
      halo_.refresh(std::span(arrays).first(static_cast<std::size_t>(directions_)), link_numbers_ * sizeof(double),
                    colour);
    }
  }

  // Collective. The same for other matrices, one for each cell.
  void refresh_matrices(double* matrices) {
    std::byte* const array = reinterpret_cast<std::byte*>(matrices);
    for (int colour = 0; colour < colours_; ++colour) {
      halo_.refresh({&array, 1}, link_numbers_ * sizeof(double), colour);
    }
  }

 private:
  std::size_t offset(int mu, std::size_t cell) const noexcept {
    return (static_cast<std::size_t>(mu) * halo_.cells() + cell) * link_numbers_;
  }

  int colours_ = 0, directions_ = 0;
  std::size_t link_numbers_ = 0;
  std::vector<double> numbers_;
  Halo halo_;  // allocates the numbers
};

// The staple of a link: its surroundings in the Wilson action. With U the link, the plaquettes that contain it add up
// to Re Tr(U * staple).

// Links transport from x+mu to x, so that for every nu other than mu the sum has
//   above  U_nu(x+mu) U_mu(x+nu)^dagger U_nu(x)^dagger
//   below  U_nu(x+mu-nu)^dagger U_mu(x-nu)^dagger U_nu(x-nu)
// `path`, `returning`: memory for a matrix each.
template <class Colors>
void add_up_staple(Colors colors, const Links& links, int mu, std::size_t x, double* staple, double* path,
                   double* returning) noexcept {
  const Halo& halo = links.halo();
  const std::size_t ahead = halo.up(x, mu);
  std::fill_n(staple, matrix_numbers(colors), 0.0);
  for (int nu = 0; nu < links.directions(); ++nu) {
    if (nu == mu) continue;
    multiply(colors, links.at(nu, x), links.at(mu, halo.up(x, nu)), path);
    adjoint(colors, path, returning);
    multiply_add(colors, links.at(nu, ahead), returning, staple);

    const std::size_t below = halo.down(x, nu);
    multiply(colors, links.at(mu, below), links.at(nu, halo.up(below, mu)), path);
    adjoint(colors, path, returning);
    multiply_add(colors, returning, links.at(nu, below), staple);
  }
}
template <int N>
void add_up_staple(Fixed<N> colors, const Links& links, int mu, std::size_t x, double* staple) noexcept {
  Matrix<Fixed<N>> path, returning;
  add_up_staple(colors, links, mu, x, staple, path.data(), returning.data());
}

}  // namespace lq::physics
