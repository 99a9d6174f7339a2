// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two products of two links each, and their scalar product as vectors; no third matrix product is needed.
#include "physics/plaquettes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/float_environment.hpp"
#include "comm/agree.hpp"
#include "kernels/plaquette_rows.hpp"
#include "lattice/site_order.hpp"
#include "physics/cell_sums.hpp"

namespace lq::physics {
namespace {

double mean(const LatticeSum& sum, std::uint64_t terms) {
  return terms == 0 ? 0.0 : sum.value() / static_cast<double>(terms);
}

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

TransposedSums sum_transposed(int colors, const Links& links, std::uint64_t step) {
  const Halo& halo = links.halo();
  TransposedSums sums;
  with_colors(colors, [&](auto n) {
    Matrix first(n), second(n);
    for (std::size_t x = 0; x < halo.local_cells(); ++x) {
      if (halo.site_rank(x) % step != 0) continue;
      sums.add_site(
          n, links.directions(), [&](int mu) { return links.at(mu, x); },
          [&](int mu, int nu) { return links.at(mu, halo.up(x, nu)); }, first.data(), second.data());
    }
  });
  return sums;
}

namespace {

// Up to as many sites as rows hold side by side, with the neighbours of each as further rows.
class SitesAsRows {
 public:
  SitesAsRows(const Extents& extents, int colors, std::span<const double> links)
      : extents_(extents),
        colors_(static_cast<std::size_t>(colors)),
        links_(links),
        numbers_(matrix_numbers(colors) * static_cast<std::size_t>(extents.size())),
        sites_(most * numbers_),
        lines_(kernels::row_lines(Precision::double_, most, numbers_)),
        all_lines_(lines_ * static_cast<std::size_t>(extents.size() + 1)),
        rows_(all_lines_),
        terms_(kernels::terms_of_site(static_cast<std::size_t>(extents.size())) * most) {}

  static constexpr std::size_t most = kernels::padded_sites(1);

  void take(std::span<const Coord> sites) {
    count_ = sites.size();
    fill(sites, -1);
    for (int mu = 0; mu < extents_.size(); ++mu) fill(sites, mu);
  }

  // Re Tr / N of the plaquettes of the sites, `most` of each plane.
  std::span<const double> plaquettes() {
    kernels::PlaquetteRows rows{.here = rows_.get(),
                                .dimensions = static_cast<std::size_t>(extents_.size()),
                                .along = static_cast<std::size_t>(extents_.size()),
                                .sites = count_};
    for (std::size_t mu = 0; mu < rows.dimensions; ++mu) rows.above[mu] = rows_.get() + (mu + 1) * lines_;
    kernels::plaquette_terms(Precision::double_, static_cast<int>(colors_), rows, terms_.data());
    return std::span(terms_).first(rows.dimensions * (rows.dimensions - 1) / 2 * most);
  }

  // Exchanges rows and columns of all links.
  void transpose() {
    auto* const numbers = reinterpret_cast<double*>(rows_.get());
    const std::size_t of_link = 2 * colors_ * colors_ * most;
    for (std::size_t at = 0; at < all_lines_ * sizeof(kernels::RowLine) / sizeof(double); at += of_link) {
      for (std::size_t i = 0; i < colors_; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          double* const element = numbers + at + 2 * (i * colors_ + j) * most;
          std::swap_ranges(element, element + 2 * most, numbers + at + 2 * (j * colors_ + i) * most);
        }
      }
    }
  }

 private:
  // The row of the sites, or of their neighbours in direction mu.
  void fill(std::span<const Coord> sites, int mu) {
    double* to = sites_.data();
    for (Coord x : sites) {
      if (mu >= 0) x[mu] = x[mu] + 1 == extents_[mu] ? 0 : x[mu] + 1;
      to = std::ranges::copy(links_.subspan(lattice::site_rank(x, extents_) * numbers_, numbers_), to).out;
    }
    kernels::to_row(Precision::double_, sites_.data(), numbers_, count_,
                    rows_.get() + static_cast<std::size_t>(mu + 1) * lines_);
  }

  const Extents& extents_;
  std::size_t colors_;
  std::span<const double> links_;
  std::size_t numbers_, count_ = 0;
  std::vector<double> sites_;
  std::size_t lines_, all_lines_;  // of a row, and of all
  kernels::RowMemory rows_;
  std::vector<double> terms_;
};

}  // namespace

TransposedSums sum_transposed(const Extents& extents, int colors, std::span<const double> links, std::uint64_t step) {
  SitesAsRows rows(extents, colors, links);
  TransposedSums sums;
  std::vector<Coord> sites;
  std::vector<double> right;
  for (std::uint64_t site = 0; site < volume(extents); site += step) {
    sites.push_back(lattice::site_of_rank(site, extents));
    if (sites.size() < rows.most && site + step < volume(extents)) continue;
    rows.take(sites);
    const std::span<const double> terms = rows.plaquettes();
    right.assign(terms.begin(), terms.end());
    rows.transpose();
    rows.plaquettes();
    for (std::size_t at = 0; at < terms.size(); ++at) {
      if (at % rows.most < sites.size()) sums.add(terms[at] - right[at]);
    }
    sites.clear();
  }
  return sums;
}

Joints sum_joints(const Extents& extents, int colors, const Links& links) {
  const Halo& halo = links.halo();
  Joints joints(extents);
  with_colors(colors, [&](auto n) {
    Matrix first(n), second(n);
    for (std::size_t cell = 0; cell < halo.local_cells(); ++cell) {
      if (!joints.samples(halo.site_rank(cell))) continue;
      const Coord x = lattice::site_of_rank(halo.site_rank(cell), extents);
      for (int mu = 0; mu < links.directions() - 1; ++mu) {
        for (int nu = mu + 1; nu < links.directions(); ++nu) {
          joints.add(x, mu, nu,
                     plaquette_of(n, links.at(mu, cell), links.at(nu, halo.up(cell, mu)), links.at(nu, cell),
                                  links.at(mu, halo.up(cell, nu)), first.data(), second.data()));
        }
      }
    }
  });
  return joints;
}

Joints sum_joints(const Extents& extents, int colors, std::span<const double> links) {
  SitesAsRows rows(extents, colors, links);
  Joints joints(extents);
  std::vector<Coord> sites;
  for (std::uint64_t site = 0; site < volume(extents); ++site) {
    if (joints.samples(site)) sites.push_back(lattice::site_of_rank(site, extents));
    if (sites.empty() || (sites.size() < rows.most && site + 1 < volume(extents))) continue;
    rows.take(sites);
    const double* of_plane = rows.plaquettes().data();
    for (int mu = 0; mu < extents.size() - 1; ++mu) {
      for (int nu = mu + 1; nu < extents.size(); ++nu, of_plane += rows.most) {
        for (std::size_t s = 0; s < sites.size(); ++s) joints.add(sites[s], mu, nu, of_plane[s]);
      }
    }
    sites.clear();
  }
  return joints;
}

TransposedSample TransposedSums::sample() const noexcept {
  TransposedSample result;
  result.plaquettes = plaquettes;
  if (plaquettes < 2) return result;
  const auto count = static_cast<double>(plaquettes);
  result.excess = excess.value() / count;
  result.error = std::sqrt(std::max(squares.value() / count - result.excess * result.excess, 0.0) / (count - 1));
  return result;
}

Plaquette averages(const LatticeSum& spatial, const LatticeSum& temporal, const Extents& extents) {
  const auto spatial_directions = static_cast<std::uint64_t>(extents.size()) - 1;
  const std::uint64_t temporal_terms = volume(extents) * spatial_directions;
  const std::uint64_t spatial_terms = volume(extents) * (spatial_directions * (spatial_directions - 1) / 2);
  LatticeSum all = spatial;
  all.add(temporal);
  return {mean(all, spatial_terms + temporal_terms), mean(spatial, spatial_terms), mean(temporal, temporal_terms)};
}

PlaneSums sum_plaquettes(int colors, const Links& links, comm::Team& team) {
  return sum_of_cells<PlaneSums>(links.halo().local_cells(), team,
                                 [&](PlaneSums& own, std::size_t begin, std::size_t end) {
                                   with_colors(colors, [&](auto n) {
                                     Matrix first(n), second(n);
                                     for (std::size_t x = begin; x < end; ++x)
                                       add_plaquettes(n, links, x, own, first.data(), second.data());
                                   });
                                 });
}

void plaquette_means(int colors, const Links& links, comm::Team& team, std::span<double> means) {
  const int directions = links.directions();
  const Halo& halo = links.halo();
  share_cells(halo.local_cells(), team, [&](int, std::size_t begin, std::size_t end) {
    with_colors(colors, [&](auto n) {
      Matrix first(n), second(n);
      for (std::size_t x = begin; x < end; ++x) {
        double sum = 0;
        for (int nu = 1; nu < directions; ++nu) {
          for (int mu = 0; mu < nu; ++mu) {
            sum += plaquette_of(n, links.at(mu, x), links.at(nu, halo.up(x, mu)), links.at(nu, x),
                                links.at(mu, halo.up(x, nu)), first.data(), second.data());
          }
        }
        means[x] = sum / (directions * (directions - 1) / 2);
      }
    });
  });
}

Plaquette average_plaquette(const Grid& grid, int colors, Links& links, comm::Team& team) {
  links.refresh();
  PlaneSums sums;
  comm::CombinedTerms terms(sums);
  comm::agree(grid.communicator().engine(), terms.all(), [&] { terms.tell(sum_plaquettes(colors, links, team)); });
  terms.take(sums);
  return averages(sums.spatial, sums.temporal, grid.extents());
}

bool can_be_u1(const FieldSpec& spec, const Extents& extents) noexcept {
  return spec.kind == FieldKind::generic && !spec.is_complex && extents.size() >= 2 &&
         spec.numbers == static_cast<std::uint64_t>(extents.size());
}

std::vector<double> phases_of(std::span<const double> angles) {
  std::vector<double> phases;
  phases.reserve(2 * angles.size());
  for (const double angle : angles) {
    phases.push_back(std::cos(angle));
    phases.push_back(std::sin(angle));
  }
  return phases;
}

double u1_plaquette(const Grid& grid, const Field& field, int threads) {
  const base::DefaultFloatEnvironment as_everywhere;  // helpers that start later have it, too
  constexpr int colors = 1;
  Links links(grid, colors, Reach::plaquettes);
  comm::Team team(threads_for(grid, field, threads));
  share_sites(grid, field, team, [&](int, std::uint64_t site, std::span<const double> angles) {
    links.set_site(site, phases_of(angles));
  });
  return average_plaquette(grid, colors, links, team).average;
}

}  // namespace lq::physics
