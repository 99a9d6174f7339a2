// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The average of Re Tr U_P / N, with U_P = U_mu(x) U_nu(x+mu) U_mu(x+nu)^dagger U_nu(x)^dagger.
#pragma once

#include <cstddef>
#include <cstdint>

#include <limequat/grid.hpp>
#include <limequat/physics.hpp>

#include "comm/team.hpp"
#include "physics/examine_links.hpp"
#include "physics/lattice_sum.hpp"
#include "physics/links.hpp"

namespace lq::physics {

// Of the sums over all plaquettes between spatial directions, and over the others.
Plaquette averages(const LatticeSum& spatial, const LatticeSum& temporal, const Extents& extents);

struct PlaneSums {
  LatticeSum spatial, temporal;

  static constexpr std::size_t terms = 2 * LatticeSum::terms;
  template <class Terms>
  void each_term(Terms&& combined) {
    spatial.each_term(combined);
    temporal.each_term(combined);
  }
};
// Over the plaquettes of this rank; the copies in `links` are up to date.
PlaneSums sum_plaquettes(int colors, const Links& links, comm::Team& team);

// Collective. Refreshes the copies of `links` first.
Plaquette average_plaquette(const Grid& grid, int colors, Links& links, comm::Team& team);

// What a TransposedSample is made of.
struct TransposedSums {
  LatticeSum excess, squares;
  std::uint64_t plaquettes = 0;

  static constexpr std::size_t terms = 2 * LatticeSum::terms + 1;
  template <class Terms>
  void each_term(Terms&& combined) {
    excess.each_term(combined);
    squares.each_term(combined);
    combined.sum(plaquettes);
  }
  TransposedSample sample() const noexcept;
};
// Over some sites of this rank, spread over the lattice; the copies in `links` are up to date.
TransposedSums sum_transposed(const Grid& grid, int colors, const Links& links);

}  // namespace lq::physics
