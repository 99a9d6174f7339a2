// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two products of two links each and the product of these as vectors; no third matrix product is needed.
#include "physics/plaquettes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "comm/agree.hpp"
#include "lattice/tiles.hpp"
#include "physics/lattice_sum.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {
namespace {

double mean(const LatticeSum& sum, std::uint64_t terms) {
  return terms == 0 ? 0.0 : sum.value() / static_cast<double>(terms);
}

struct PlaneSums {
  LatticeSum spatial, temporal;
};

template <class Colors>
void add_plaquettes(Colors colors, const Links& links, std::size_t x, PlaneSums& sums, double* first, double* second) {
  const int last = links.directions() - 1;
  const Halo& halo = links.halo();
  for (int mu = 0; mu < last; ++mu) {
    for (int nu = mu + 1; nu <= last; ++nu) {
      (nu == last ? sums.temporal : sums.spatial)
          .add(plaquette_of(colors, links.at(mu, x), links.at(nu, halo.up(x, mu)), links.at(nu, x),
                            links.at(mu, halo.up(x, nu)), first, second));
    }
  }
}

}  // namespace

TransposedSample sample_transposed(const Grid& grid, int colors, const Links& links) {
  constexpr std::uint64_t most_sites = 2048;
  const std::uint64_t step = grid.volume() / most_sites + 1;
  comm::Comm& comm = grid.communicator().engine();
  const Halo& halo = links.halo();
  LatticeSum sum, squares;
  std::uint64_t count = 0;
  const auto add_site = [&](auto n, std::size_t x, double* first, double* second) {
    for (int mu = 0; mu < links.directions() - 1; ++mu) {
      for (int nu = mu + 1; nu < links.directions(); ++nu) {
        const auto product = [&](bool transposed) {
          return plaquette_of(n, links.at(mu, x), links.at(nu, halo.up(x, mu)), links.at(nu, x),
                              links.at(mu, halo.up(x, nu)), first, second, transposed);
        };
        const double excess = product(true) - product(false);
        sum.add(excess);
        squares.add(excess * excess);
        ++count;
      }
    }
  };
  comm::agree(comm, [&] {
    with_colors(colors, [&](auto n) {
      Matrix first(n), second(n);
      for (std::size_t x = 0; x < halo.local_cells(); ++x) {
        if (halo.site_rank(x) % step == 0) add_site(n, x, first.data(), second.data());
      }
    });
  });
  comm.all_reduce({&count, 1}, comm::Reduce::sum);
  sum.reduce(comm);
  squares.reduce(comm);
  TransposedSample sample;
  sample.plaquettes = count;
  if (count < 2) return sample;
  const auto terms = static_cast<double>(count);
  sample.excess = sum.value() / terms;
  sample.error = std::sqrt(std::max(squares.value() / terms - sample.excess * sample.excess, 0.0) / (terms - 1));
  return sample;
}

Plaquette averages(const LatticeSum& spatial, const LatticeSum& temporal, const Extents& extents) {
  const auto spatial_directions = static_cast<std::uint64_t>(extents.size()) - 1;
  const std::uint64_t temporal_terms = volume(extents) * spatial_directions;
  const std::uint64_t spatial_terms = volume(extents) * (spatial_directions * (spatial_directions - 1) / 2);
  LatticeSum all = spatial;
  all.add(temporal);
  return {mean(all, spatial_terms + temporal_terms), mean(spatial, spatial_terms), mean(temporal, temporal_terms)};
}

Plaquette average_plaquette(const Grid& grid, int colors, Links& links, comm::Team& team) {
  comm::Comm& comm = grid.communicator().engine();
  links.refresh();
  PlaneSums sums;
  comm::agree(comm, [&] {
    std::vector<PlaneSums> of_threads(static_cast<std::size_t>(team.size()));
    team.run([&](int thread) {
      const lattice::Share mine = lattice::share_of(links.halo().local_cells(), static_cast<std::uint64_t>(team.size()),
                                                    static_cast<std::uint64_t>(thread));
      PlaneSums& own = of_threads[static_cast<std::size_t>(thread)];
      with_colors(colors, [&](auto n) {
        Matrix first(n), second(n);
        for (std::uint64_t x = mine.begin; x < mine.end; ++x) {
          add_plaquettes(n, links, static_cast<std::size_t>(x), own, first.data(), second.data());
        }
      });
    });
    for (const PlaneSums& own : of_threads) {
      sums.spatial.add(own.spatial);
      sums.temporal.add(own.temporal);
    }
  });
  sums.spatial.reduce(comm);
  sums.temporal.reduce(comm);
  return averages(sums.spatial, sums.temporal, grid.extents());
}

}  // namespace lq::physics
