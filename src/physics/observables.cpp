// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What gauge fields are asked: plaquette, trace of the links, distance from the group, numbers that are none.
// Each rank adds up its sites, then the sums of the ranks are combined exactly.
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/physics.hpp>

#include "base/interruption.hpp"
#include "comm/agree.hpp"
#include "comm/team.hpp"
#include "comm/terms.hpp"
#include "device/driver.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/local_field.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tiles.hpp"
#include "options/agreed.hpp"
#include "physics/cell_sums.hpp"
#include "physics/field_strength.hpp"
#include "physics/gradient_flow.hpp"
#include "physics/link_checks.hpp"
#include "physics/links.hpp"
#include "physics/loops.hpp"
#include "physics/plaquettes.hpp"
#include "physics/site_sums.hpp"
#include "physics/slices.hpp"

namespace lq {
namespace {

using physics::LinkChecks;
using physics::Links;

comm::Comm& ranks_of(const Grid& grid) { return grid.communicator().engine(); }

std::string describe(const FieldSpec& spec) {
  return fmt::format("{} field, {} colors, {} links, {} numbers per site, {} precision", name(spec.kind), spec.colors,
                     spec.links, spec.numbers, name(spec.precision));
}

void require_gauge(const Grid& grid, const FieldSpec& spec, std::string_view verb) {
  const int dimensions = grid.extents().size();
  const bool one_link_per_dimension = spec.links == 0 || spec.links == dimensions;
  if (spec.kind == FieldKind::gauge && spec.colors >= 2 && one_link_per_dimension && dimensions >= 2) return;
  throw Error(Code::invalid_argument,
              fmt::format("cannot {} a {} field of {} colors with {} links per site on the lattice {}; expected a "
                          "gauge field of SU(2) or larger with one link for each of 2 or more dimensions",
                          verb, name(spec.kind), spec.colors, spec.links, to_string(grid.extents())),
              {.expected = fmt::format("gauge field with {} links", dimensions),
               .found = fmt::format("{} field with {} links", name(spec.kind), spec.links)});
}

enum class Wanted { any, gauge };
// Collective. The field with its spec resolved; every rank has the same spec.
Field resolve(const Grid& grid, const Field& field, std::string_view verb, Wanted wanted = Wanted::any) {
  Field resolved;
  comm::require_same(ranks_of(grid), [&] {
    if (wanted == Wanted::gauge) require_gauge(grid, field.spec, verb);
    resolved = lattice::resolve_field(grid, field);
    return std::vector<comm::Stated>{{fmt::format("the field to {}", verb), describe(resolved.spec)}};
  });
  return resolved;
}

Field resolve_gauge(const Grid& grid, const Field& field, std::string_view verb) {
  return resolve(grid, field, verb, Wanted::gauge);
}

std::uint64_t count_not_finite(std::span<const double> numbers) {
  std::uint64_t count = 0;
  for (const double number : numbers) count += std::isfinite(number) ? 0 : 1;
  return count;
}

struct Count {
  std::uint64_t value = 0;
  void add(const Count& other) noexcept { value += other.value; }

  static constexpr std::size_t terms = 1;
  template <class Terms>
  void each_term(Terms&& combined) {
    combined.sum(value);
  }
};

// What one pass sees of the links, each alone.
struct Seen {
  LinkChecks checks;
  Count not_finite;
  physics::ZeroLinks zeros;

  // Of some sites, `site` the first of them.
  void add_sites(const Grid& grid, std::uint64_t site, std::span<const double> links, std::size_t of_site) {
    if (!checks.add_distances(site, links)) return;
    for (std::size_t at = 0; at < links.size(); at += of_site, ++site) {
      not_finite.value += count_not_finite(links.subspan(at, of_site));
      zeros.add_site(grid, site, links.subspan(at, of_site));
    }
  }
  void add(const Seen& other) noexcept {
    checks.add(other.checks);
    not_finite.add(other.not_finite);
    zeros.add(other.zeros);
  }

  static constexpr std::size_t terms = LinkChecks::terms + Count::terms + physics::ZeroLinks::terms;
  template <class Terms>
  void each_term(Terms&& combined) {
    checks.each_term(combined);
    not_finite.each_term(combined);
    zeros.each_term(combined);
  }
};

// Doubles side by side in natural order, in memory of the processor.
bool is_in_place(const Field& field, int dimensions) {
  return lattice::is_plain(field) && field.spec.precision == Precision::double_ &&
         lattice::resolve_order(field.order, dimensions) == lattice::resolve_order({}, dimensions) &&
         !device::is_device_memory(field.data);
}

// A field of which one rank has all sites, slice after slice: out of its memory where it lies there in place, else by
// copies of two slices for each thread. each_slice(thread, first site, links) is called for every slice.
template <class EachSlice>
physics::SliceSums slice_sums(const Grid& grid, const Field& gauge, comm::Team& team, const EachSlice& each_slice) {
  const Extents& extents = grid.extents();
  const auto slices = static_cast<std::uint64_t>(extents[extents.size() - 1]);
  const std::uint64_t sites = grid.local_volume() / slices;
  const auto numbers = static_cast<std::size_t>(sites * gauge.spec.numbers);
  const bool in_place = is_in_place(gauge, extents.size());
  const auto slice = [&](physics::SiteStream& stream, std::uint64_t t,
                         std::vector<double>& copy) -> std::span<const double> {
    if (in_place) return {static_cast<const double*>(gauge.data) + t * numbers, numbers};
    copy.clear();
    copy.reserve(numbers);
    stream.for_each(t * sites, (t + 1) * sites,
                    [&](std::uint64_t, std::span<const double> u) { copy.insert(copy.end(), u.begin(), u.end()); });
    return copy;
  };

  std::vector<physics::SliceSums> sums(static_cast<std::size_t>(team.size()),
                                       {extents, gauge.spec.colors, lattice::resolve_order({}, extents.size())});
  team.run([&](int thread) {
    const lattice::Share mine =
        lattice::share_of(slices, static_cast<std::uint64_t>(team.size()), static_cast<std::uint64_t>(thread));
    if (mine.begin == mine.end) return;
    std::vector<double> copy, copy_behind;
    physics::SiteStream stream(grid, gauge);
    std::span<const double> here = slice(stream, mine.begin, copy);
    for (std::uint64_t t = mine.begin; t < mine.end; ++t) {
      const std::span<const double> behind = slice(stream, (t + 1) % slices, copy_behind);
      sums[static_cast<std::size_t>(thread)].add(here, behind);
      each_slice(thread, t * sites, here);
      std::swap(copy, copy_behind);
      here = behind;
    }
  });
  for (std::size_t i = 1; i < sums.size(); ++i) sums.front().add(sums[i]);
  return sums.front();
}

physics::SliceSums slice_sums(const Grid& grid, const Field& gauge, int threads) {
  comm::Team team(threads);
  return slice_sums(grid, gauge, team, [](int, std::uint64_t, std::span<const double>) {});
}

// A few sites tell that most links are right; where they do not, more decide: more(step), of the sites whose number is
// a multiple of that.
template <class More>
physics::TransposedSample enough_of(const physics::TransposedSample& few, const Extents& extents, const More& more) {
  const std::uint64_t step = physics::TransposedSample::step_of_most(extents);
  const bool is_enough = few.is_right() || step == physics::TransposedSample::step_of_few(extents);
  return is_enough ? few : more(step);
}

}  // namespace

Plaquette plaquette(const Grid& grid, const Field& field, int threads) {
  const Field gauge = resolve_gauge(grid, field, "measure the plaquette of");
  const int used = physics::threads_for(grid, gauge, threads);
  if (ranks_of(grid).size() == 1) {
    return comm::agree(ranks_of(grid), [&] { return slice_sums(grid, gauge, used).plaquette(); });
  }
  Links links(grid, gauge.spec.colors, physics::Reach::plaquettes);
  comm::Team team(used);
  physics::share_sites(grid, gauge, team,
                       [&](int, std::uint64_t site, std::span<const double> u) { links.set_site(site, u); });
  return physics::average_plaquette(grid, gauge.spec.colors, links, team);
}

double link_trace(const Grid& grid, const Field& field, int threads) {
  const Field gauge = resolve_gauge(grid, field, "measure the link trace of");
  comm::Team team(physics::threads_for(grid, gauge, threads));
  LinkChecks checks =
      physics::sum_of_sites(grid, gauge, team, LinkChecks(grid, gauge.spec.colors),
                            [](LinkChecks& mine, std::uint64_t, std::span<const double> u) { mine.add_traces(u); });
  comm::combine_over_ranks(ranks_of(grid), checks);
  return checks.link_trace();
}

Unitarity unitarity(const Grid& grid, const Field& field, int threads) {
  const Field gauge = resolve_gauge(grid, field, "measure the unitarity of");
  comm::Team team(physics::threads_for(grid, gauge, threads));
  const LinkChecks mine = physics::sum_of_sites(
      grid, gauge, team, LinkChecks(grid, gauge.spec.colors),
      [](LinkChecks& checks, std::uint64_t site, std::span<const double> u) { checks.add_distances(site, u); },
      LinkChecks::most_sites);
  LinkChecks all = mine;
  comm::combine_over_ranks(ranks_of(grid), all);
  return all.unitarity(mine);
}

std::uint64_t count_not_finite(const Grid& grid, const Field& field, int threads) {
  const Field resolved = resolve(grid, field, "scan for numbers that are not finite");
  comm::Team team(physics::threads_for(grid, resolved, threads));
  Count found = physics::sum_of_sites(
      grid, resolved, team, Count{},
      [](Count& count, std::uint64_t, std::span<const double> u) { count.value += count_not_finite(u); });
  comm::combine_over_ranks(ranks_of(grid), found);
  return found.value;
}

Physics measure(const Grid& grid, const Field& field, int threads) {
  return physics::examine_links(grid, field, threads).physics;
}

namespace {

// Of a field of which one rank has all sites.
physics::ExaminedLinks examine_alone(const Grid& grid, const Field& gauge, int threads) {
  const int colors = gauge.spec.colors;
  const Extents& extents = grid.extents();
  const std::size_t of_site = gauge.spec.numbers, of_run = LinkChecks::most_sites * of_site;
  std::vector<double> copy;
  Field links = gauge;
  if (!is_in_place(gauge, extents.size())) {
    copy.resize(static_cast<std::size_t>(grid.volume()) * of_site);
    physics::SiteStream(grid, gauge).for_each(0, grid.volume(), [&](std::uint64_t site, std::span<const double> u) {
      std::ranges::copy(u, copy.begin() + static_cast<std::ptrdiff_t>(site * of_site));
    });
    links = lattice::resolve_field(grid, lq::gauge(copy, {.colors = colors}));
  }
  comm::Team team(threads);
  std::vector<Seen> of_threads(static_cast<std::size_t>(team.size()), Seen{LinkChecks(grid, colors), {}, {}});
  const physics::SliceSums slices =
      slice_sums(grid, links, team, [&](int thread, std::uint64_t site, std::span<const double> slice) {
        for (std::size_t at = 0; at < slice.size(); at += of_run, site += LinkChecks::most_sites) {
          of_threads[static_cast<std::size_t>(thread)].add_sites(
              grid, site, slice.subspan(at, std::min(of_run, slice.size() - at)), of_site);
        }
      });
  Seen& all = of_threads.front();
  for (std::size_t i = 1; i < of_threads.size(); ++i) all.add(of_threads[i]);

  physics::ExaminedLinks examined;
  examined.physics.plaquette = slices.plaquette();
  examined.physics.link_trace = slices.link_trace();
  examined.physics.unitarity = all.checks.unitarity(all.checks);
  examined.physics.not_finite = all.not_finite.value;
  examined.zeros = all.zeros;
  const auto sample = [&](std::uint64_t step) {
    const std::span numbers(static_cast<const double*>(links.data), grid.volume() * of_site);
    return physics::sum_transposed(extents, colors, numbers, step).sample();
  };
  examined.transposed = enough_of(sample(physics::TransposedSample::step_of_few(extents)), extents, sample);
  return examined;
}

}  // namespace

physics::ExaminedLinks physics::examine_links(const Grid& grid, const Field& field, int threads) {
  const Field gauge = resolve_gauge(grid, field, "measure");
  const int colors = gauge.spec.colors;
  const int used = threads_for(grid, gauge, threads);
  if (ranks_of(grid).size() == 1) return comm::agree(ranks_of(grid), [&] { return examine_alone(grid, gauge, used); });
  Links links(grid, colors, Reach::plaquettes);
  comm::Team team(used);
  const std::size_t of_site = gauge.spec.numbers;
  const Seen mine = sum_of_sites(
      grid, gauge, team, Seen{LinkChecks(grid, colors), {}, {}},
      [&](Seen& seen, std::uint64_t site, std::span<const double> u) {
        for (std::size_t at = 0; at < u.size(); at += of_site) {
          links.set_site(static_cast<std::size_t>(site) + at / of_site, u.subspan(at, of_site));
        }
        seen.checks.add_traces(u);
        seen.add_sites(grid, site, u, of_site);
      },
      LinkChecks::most_sites);
  links.refresh();
  Seen all = mine;
  PlaneSums planes;
  TransposedSums few;
  comm::CombinedTerms terms(all, planes, few);
  comm::agree(ranks_of(grid), terms.all(), [&] {
    terms.tell(mine, sum_plaquettes(colors, links, team),
               sum_transposed(colors, links, TransposedSample::step_of_few(grid.extents())));
  });
  terms.take(all, planes, few);

  ExaminedLinks examined;
  Physics& physics = examined.physics;
  physics.plaquette = averages(planes.spatial, planes.temporal, grid.extents());
  physics.link_trace = all.checks.link_trace();
  physics.unitarity = all.checks.unitarity(mine.checks);
  physics.not_finite = all.not_finite.value;
  examined.zeros = all.zeros;
  examined.transposed = enough_of(few.sample(), grid.extents(), [&](std::uint64_t step) {
    TransposedSums sums;
    comm::CombinedTerms of_sample(sums);
    comm::agree(ranks_of(grid), of_sample.all(), [&] { of_sample.tell(sum_transposed(colors, links, step)); });
    of_sample.take(sums);
    return sums.sample();
  });
  return examined;
}

bool physics::ExaminedLinks::is_noise(const Extents& extents, int colors) const noexcept {
  // The error of the average over random links; of random matrices of SU(2) Re Tr U / N has the width 1/2, of larger
  // groups one that is smaller than 1/N.
  constexpr double enough = 5;
  const auto planes = static_cast<double>(extents.size() * (extents.size() - 1)) / 2;
  const double error = 1 / (colors * std::sqrt(static_cast<double>(volume(extents)) * planes));
  return physics.unitarity.far_links == 0 && std::abs(physics.plaquette.average) < enough * error;
}

}  // namespace lq

// Loops, energy and charge, along the gradient flow.

namespace lq {
namespace {

using physics::LatticeSum;

// Of the points of a flow.
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

// Local. work(site, strength) for all sites of this rank.
template <class Sum, class Work>
Sum sum_of_strengths(int colors, const Links& links, comm::Team& team, const Work& work) {
  return physics::sum_of_cells<Sum>(links.halo().local_cells(), team,
                                    [&](Sum& own, std::size_t begin, std::size_t end) {
                                      physics::with_colors(colors, [&](auto n) {
                                        physics::FieldStrength strength(n, links);
                                        for (std::size_t x = begin; x < end && !base::is_interrupted(); ++x) {
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
    base::throw_if_interrupted();
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

// Links for which the loops and the flow have no meaning.
void require_in_group(const Grid& grid, int colors, const Seen& all, const Unitarity& unitarity) {
  if (all.not_finite.value > 0) {
    throw Error(
        Code::invalid_argument,
        fmt::format("cannot measure observables: {} numbers of the links are NaN or infinite", all.not_finite.value),
        {.expected = "0", .found = std::to_string(all.not_finite.value)});
  }
  const bool is_open = all.zeros.leave_last_slice(grid.extents());
  const std::uint64_t outside = unitarity.far_links - (is_open ? all.zeros.all : 0);
  if (outside == 0) return;
  throw Error(Code::invalid_argument,
              fmt::format("cannot measure observables: {} links are not in SU({}), most of all link {} of site {}, "
                          "by {:.3g}{}; project smeared or rescaled links to the group first",
                          outside, colors, unitarity.worst_link, site_text(unitarity.worst_site), unitarity.largest,
                          all.zeros.all > 0 ? fmt::format("; {} links are zero", all.zeros.all) : ""),
              {.expected = "0", .found = std::to_string(outside)});
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
  const std::vector<double> clover = energies_of(result.flow, &FlowPoint::energy);
  const std::vector<double> plaquettes = energies_of(result.flow, &FlowPoint::energy_plaquette);
  result.t0 = physics::t0_of(clover, options.flow_step);
  result.w0 = physics::w0_of(clover, options.flow_step);
  result.t0_plaquette = physics::t0_of(plaquettes, options.flow_step);
  result.w0_plaquette = physics::w0_of(plaquettes, options.flow_step);
}

}  // namespace

Observables observables(const Grid& grid, const Field& field, const ObservablesOptions& options) {
  comm::require_same(ranks_of(grid), [&] {
    physics::require_valid_flow(options.flow_steps, options.flow_step);
    return options::stated("ObservablesOptions", options);
  });
  const Field gauge = resolve_gauge(grid, field, "measure observables of");
  const int colors = gauge.spec.colors;
  Links links(grid, colors, physics::Reach::loops);
  comm::Team team(physics::threads_for(grid, gauge, options.threads));
  const Seen mine = physics::sum_of_sites(grid, gauge, team, Seen{LinkChecks(grid, colors), {}, {}},
                                          [&](Seen& seen, std::uint64_t site, std::span<const double> u) {
                                            links.set_site(site, u);
                                            seen.checks.add_distances(site, u);
                                            seen.not_finite.value += count_not_finite(u);
                                            seen.zeros.add_site(grid, site, u);
                                          });
  Seen all = mine;
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

// Collective. `dimensions`: those that it must have; 0: any.
Field resolve_for_density(const Grid& grid, const Field& field, std::string_view verb, int dimensions) {
  const int found = grid.extents().size();
  if (dimensions > 0 && found != dimensions) {  // the same on all ranks
    throw Error(Code::invalid_argument,
                fmt::format("cannot {} a field on the lattice {}: it has {} dimensions, expected {}", verb,
                            to_string(grid.extents()), found, dimensions),
                {.expected = std::to_string(dimensions), .found = std::to_string(found)});
  }
  return resolve_gauge(grid, field, verb);
}

// Collective. set(links, team, density) sets a number for each local site.
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
    base::throw_if_interrupted();
    return density;
  });
}

struct Nothing {
  void add(const Nothing&) noexcept {}
};

}  // namespace

std::vector<double> charge_density(const Grid& grid, const Field& field, int threads) {
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
  const Field gauge = resolve_for_density(grid, field, "measure the plaquettes of", 0);
  return density_of(grid, gauge, physics::Reach::plaquettes, threads,
                    [&](const Links& links, comm::Team& team, std::vector<double>& density) {
                      physics::plaquette_means(gauge.spec.colors, links, team, density);
                    });
}

}  // namespace lq
