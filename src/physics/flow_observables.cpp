// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Loops, energy and charge, along the gradient flow, and densities.
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <limequat/physics.hpp>

#include "base/error.hpp"
#include "base/float_environment.hpp"
#include "comm/agree.hpp"
#include "comm/team.hpp"
#include "comm/terms.hpp"
#include "options/agreed.hpp"
#include "physics/cell_sums.hpp"
#include "physics/field_strength.hpp"
#include "physics/gradient_flow.hpp"
#include "physics/link_checks.hpp"
#include "physics/links.hpp"
#include "physics/loops.hpp"
#include "physics/plaquettes.hpp"
#include "physics/site_sums.hpp"

namespace lq {
namespace {

using physics::CheckedLinks;
using physics::LatticeSum;
using physics::LinkChecks;
using physics::Links;
using physics::ranks_of;
using physics::resolve_gauge;

// Sums over the points of a flow.
struct FlowSums {
  physics::PlaneSums planes;
  LatticeSum energy, charge;
  void add(const FlowSums& others) noexcept {
    planes.add(others.planes);
    energy.add(others.energy);
    charge.add(others.charge);
  }

  static constexpr std::size_t terms = physics::PlaneSums::terms + 2 * LatticeSum::terms;
  template <class Terms>
  void each_term(Terms&& combined) {
    planes.each_term(combined);
    energy.each_term(combined);
    charge.each_term(combined);
  }
};

constexpr double four_pi_squared = 4 * M_PI * M_PI;
constexpr int charge_dimensions = 4;

// Local. Calls work(site, strength) for all sites of this rank.
template <class Sum, class Work>
Sum sum_of_strengths(int colors, const Links& links, comm::Team& team, const Work& work) {
  return physics::sum_of_cells<Sum>(links.halo().local_cells(), team,
                                    [&](Sum& own, std::size_t begin, std::size_t end) {
                                      physics::with_colors(colors, [&](auto n) {
                                        physics::FieldStrength strength(n, links);
                                        for (std::size_t x = begin; x < end; ++x) {
                                          strength.set_site(x);
                                          work(own, x, strength);
                                        }
                                      });
                                    });
}

// Collective. The copies in `links` are up to date.
FlowPoint measure_flow(const Grid& grid, int colors, const Links& links, double time, comm::Team& team) {
  const int dimensions = links.directions();
  FlowSums sums;
  comm::CombinedTerms terms(sums);
  comm::agree(ranks_of(grid), terms.all(), [&] {
    FlowSums mine = sum_of_strengths<FlowSums>(colors, links, team, [&](FlowSums& own, std::size_t, auto& strength) {
      for (std::size_t plane = 0; plane < strength.planes(); ++plane) own.energy.add(strength.energy(plane));
      if (dimensions == charge_dimensions) own.charge.add(strength.charge());
    });
    mine.planes = physics::sum_plaquettes(colors, links, team);
    terms.tell(mine);
  });
  terms.take(sums);
  FlowPoint point;
  point.time = time;
  point.energy = sums.energy.value() / static_cast<double>(grid.volume());
  const double planes = dimensions * (dimensions - 1) / 2.0;
  const Plaquette plaquette = physics::averages(sums.planes.spatial, sums.planes.temporal, grid.extents());
  point.energy_plaquette = 2 * colors * planes * (1 - plaquette.average);
  if (dimensions == charge_dimensions) point.charge = sums.charge.value() / four_pi_squared;
  return point;
}

// Rejects links for which loops and flow are meaningless.
void require_in_group(const Grid& grid, int colors, const CheckedLinks& all, const Unitarity& unitarity) {
  if (all.not_finite.value > 0) {
    base::fail(Code::invalid_argument, {.expected = "0", .found = std::to_string(all.not_finite.value)},
               "cannot measure observables: {} numbers of the links are NaN or infinite", all.not_finite.value);
  }
  const bool is_open = all.zeros.leave_last_slice(grid.extents());
  const std::uint64_t outside = unitarity.far_links - (is_open ? all.zeros.all : 0);
  if (outside == 0) return;
  base::fail(Code::invalid_argument, {.expected = "0", .found = std::to_string(outside)},
             "cannot measure observables: {} links are not in SU({}), most of all link {} of site {}, by {:.3g}{}; "
             "project smeared or rescaled links to the group first",
             outside, colors, unitarity.worst_link, site_text(unitarity.worst_site), unitarity.largest,
             all.zeros.all > 0 ? fmt::format("; {} links are zero", all.zeros.all) : "");
}

std::vector<double> energies_of(const std::vector<FlowPoint>& flow, double FlowPoint::*energy) {
  std::vector<double> energies;
  for (const FlowPoint& point : flow) energies.push_back(point.*energy);
  return energies;
}

// Collective. Changes the links.
void flow(const Grid& grid, int colors, Links& links, const ObservablesOptions& options, comm::Team& team,
          Observables& result) {
  comm::agree_alike(ranks_of(grid), [&] { result.flow.reserve(static_cast<std::size_t>(options.flow_steps) + 1); });
  result.flow.push_back(measure_flow(grid, colors, links, 0, team));
  if (options.flow_steps == 0) return;
  physics::GradientFlow flow(grid, colors, links, team);
  for (int k = 1; k <= options.flow_steps; ++k) {
    flow.step(options.flow_step);
    result.flow.push_back(measure_flow(grid, colors, links, k * options.flow_step, team));
  }
  if (grid.extents().size() != charge_dimensions) return;
  comm::agree_alike(ranks_of(grid), [&] {
    const std::vector<double> clover = energies_of(result.flow, &FlowPoint::energy);
    const std::vector<double> plaquettes = energies_of(result.flow, &FlowPoint::energy_plaquette);
    result.t0 = physics::t0_of(clover, options.flow_step);
    result.w0 = physics::w0_of(clover, options.flow_step);
    result.t0_plaquette = physics::t0_of(plaquettes, options.flow_step);
    result.w0_plaquette = physics::w0_of(plaquettes, options.flow_step);
  });
}

}  // namespace

Observables observables(const Grid& grid, const Field& field, const ObservablesOptions& options) {
  const base::DefaultFloatEnvironment as_everywhere;  // helpers that start later have it, too
  comm::require_same(ranks_of(grid), [&] {
    physics::require_valid_flow(options.flow_steps, options.flow_step);
    return options::stated("ObservablesOptions", options);
  });
  const Field gauge = resolve_gauge(grid, field, "measure observables of");
  const int colors = gauge.spec.colors;
  Links links(grid, colors, physics::Reach::loops);
  comm::Team team(physics::threads_for(grid, gauge, options.threads));
  const CheckedLinks mine = physics::sum_of_sites(
      grid, gauge, team, CheckedLinks{LinkChecks(grid, colors), {}, {}},
      [&](CheckedLinks& seen, std::uint64_t site, std::span<const double> u) {
        links.set_sites(static_cast<std::size_t>(site), u);
        seen.add_sites(grid, site, u);
      },
      LinkChecks::most_sites);
  CheckedLinks all = mine;
  comm::combine_over_ranks(ranks_of(grid), all);
  const Unitarity unitarity = all.checks.unitarity(mine.checks);
  Observables result;
  result.open_boundary = all.zeros.leave_last_slice(grid.extents());
  comm::agree(ranks_of(grid), [&] {
    require_in_group(grid, colors, all, unitarity);
    if (result.open_boundary && options.flow_steps > 0) {
      throw Error(Code::unsupported,
                  "cannot measure observables after gradient flow: the links that leave the last time slice are zero "
                  "(open boundaries in time), for which the flow is not implemented; measure with flow_steps 0");
    }
  });
  links.refresh();
  result.wilson_loops = physics::wilson_loops(grid, colors, links, result.open_boundary, team);
  if (result.open_boundary) return result;
  result.polyakov_loop = physics::polyakov_loop(grid, colors, links);
  flow(grid, colors, links, options, team, result);
  return result;
}

namespace {

// Collective. `dimensions`: required number; 0: any.
Field resolve_for_density(const Grid& grid, const Field& field, std::string_view verb, int dimensions) {
  const int found = grid.extents().size();
  if (dimensions > 0 && found != dimensions) {  // the same on all ranks
    base::fail(Code::invalid_argument, {.expected = std::to_string(dimensions), .found = std::to_string(found)},
               "cannot {} a field on the lattice {}: it has {} dimensions, expected {}", verb,
               to_string(grid.extents()), found, dimensions);
  }
  return resolve_gauge(grid, field, verb);
}

// Collective. set(links, team, density) computes a number for each local site.
template <class Set>
std::vector<double> density_of(const Grid& grid, const Field& gauge, physics::Reach reach, int threads,
                               const Set& set) {
  Links links(grid, gauge.spec.colors, reach);
  comm::Team team(physics::threads_for(grid, gauge, threads));
  physics::share_sites(grid, gauge, team,
                       [&](int, std::uint64_t site, std::span<const double> u) { links.set_site(site, u); });
  links.refresh();
  return comm::agree(ranks_of(grid), [&] {
    std::vector<double> density(static_cast<std::size_t>(grid.local_volume()));
    set(links, team, density);
    return density;
  });
}

struct Nothing {
  void add(const Nothing&) noexcept {}
};

}  // namespace

std::vector<double> charge_density(const Grid& grid, const Field& field, int threads) {
  const base::DefaultFloatEnvironment as_everywhere;  // helpers that start later have it, too
  const Field gauge = resolve_for_density(grid, field, "measure the topological charge of", charge_dimensions);
  return density_of(grid, gauge, physics::Reach::loops, threads,
                    [&](const Links& links, comm::Team& team, std::vector<double>& density) {
                      sum_of_strengths<Nothing>(gauge.spec.colors, links, team,
                                                [&](Nothing&, std::size_t site, auto& strength) {
                                                  density[site] = strength.charge() / four_pi_squared;
                                                });
                    });
}

std::vector<double> plaquette_density(const Grid& grid, const Field& field, int threads) {
  const base::DefaultFloatEnvironment as_everywhere;  // helpers that start later have it, too
  const Field gauge = resolve_for_density(grid, field, "measure the plaquettes of", 0);
  return density_of(grid, gauge, physics::Reach::plaquettes, threads,
                    [&](const Links& links, comm::Team& team, std::vector<double>& density) {
                      physics::plaquette_means(gauge.spec.colors, links, team, density);
                    });
}

}  // namespace lq
