// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquettes of gauge fields, of SU(N) and of non-compact U(1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/physics.hpp>

#include "comm/team.hpp"
#include "physics/link_checks.hpp"
#include "physics/links.hpp"
#include "physics/site_sums.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {

// Averages from the sums over all plaquettes between spatial directions, and over the others.
Plaquette averages(const LatticeSum& spatial, const LatticeSum& temporal, const Extents& extents);

struct PlaneSums {
  LatticeSum spatial, temporal;
  void add(const PlaneSums& others) noexcept {
    spatial.add(others.spatial);
    temporal.add(others.temporal);
  }

  static constexpr std::size_t terms = 2 * LatticeSum::terms;
  template <class Terms>
  void each_term(Terms&& combined) {
    spatial.each_term(combined);
    temporal.each_term(combined);
  }
};
// Sums over the plaquettes of this rank; the copies in `links` are up to date.
PlaneSums sum_plaquettes(int colors, const Links& links, comm::Team& team);

// Local. The mean of the plaquettes that extend forward from each site of this rank; the copies are up to date.
void plaquette_means(int colors, const Links& links, comm::Team& team, std::span<double> means);

// Collective. Refreshes the copies of `links` first.
Plaquette average_plaquette(const Grid& grid, int colors, Links& links, comm::Team& team);

// The sums for a TransposedSample.
struct TransposedSums {
  LatticeSum excess, squares;
  std::uint64_t plaquettes = 0;

  // By how much one plaquette of transposed links is more than that of the links as they are.
  void add(double more) noexcept {
    excess.add(more);
    squares.add(more * more);
    ++plaquettes;
  }
  // The plaquettes of one site: here(mu) is its link, above(mu, nu) the link of the next site in direction nu. `first`,
  // `second`: memory for a matrix each.
  template <class Colors, class Here, class Above>
  void add_site(Colors colors, int directions, const Here& here, const Above& above, double* first, double* second) {
    for (int mu = 0; mu < directions - 1; ++mu) {
      for (int nu = mu + 1; nu < directions; ++nu) {
        const auto product = [&](bool transposed) {
          return plaquette_of(colors, here(mu), above(nu, mu), here(nu), above(mu, nu), first, second, transposed);
        };
        add(product(true) - product(false));
      }
    }
  }

  static constexpr std::size_t terms = 2 * LatticeSum::terms + 1;
  template <class Terms>
  void each_term(Terms&& combined) {
    excess.each_term(combined);
    squares.each_term(combined);
    combined.sum(plaquettes);
  }
  TransposedSample sample() const noexcept;
};
// Over the sites of this rank whose number in the lattice is a multiple of `step`; the copies in `links` are up to
// date.
TransposedSums sum_transposed(int colors, const Links& links, std::uint64_t step);
// The same, for a single rank that has all links in natural order.
TransposedSums sum_transposed(const Extents& extents, int colors, std::span<const double> links, std::uint64_t step);

// Local. Over the sites of this rank, whose copies in `links` are up to date.
Joints sum_joints(const Extents& extents, int colors, const Links& links);
// The same, for a single rank that has all links in natural order.
Joints sum_joints(const Extents& extents, int colors, std::span<const double> links);

// Non-compact links of U(1): a real number A for each link, which represents the phase exp(i A).

// True for one real number for each of two or more dimensions, the form in which such links are stored.
bool can_be_u1(const FieldSpec& spec, const Extents& extents) noexcept;

// Real and imaginary parts of the phases, as links of one colour.
std::vector<double> phases_of(std::span<const double> angles);

// Collective. The average of Re U_P, for a field whose spec is resolved, with the given number of threads of this rank;
// 0: one for each core that it has to itself.
double u1_plaquette(const Grid& grid, const Field& field, int threads);

}  // namespace lq::physics
