// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Measurements of gauge fields: plaquette, trace of the links, distance from the group, NaNs and infinities. Each rank
// sums over its sites, then the sums of the ranks are combined exactly.
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <limequat/physics.hpp>

#include "base/float_environment.hpp"
#include "comm/agree.hpp"
#include "comm/team.hpp"
#include "comm/terms.hpp"
#include "device/driver.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/local_field.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tiles.hpp"
#include "physics/link_checks.hpp"
#include "physics/links.hpp"
#include "physics/plaquettes.hpp"
#include "physics/site_sums.hpp"
#include "physics/slices.hpp"

namespace lq {
namespace {

using physics::CheckedLinks;
using physics::LinkChecks;
using physics::Links;
using physics::ranks_of;
using physics::resolve_gauge;

// Contiguous doubles in natural order, in host memory.
bool is_in_place(const Field& field, int dimensions) {
  return lattice::is_plain(field) && field.spec.precision == Precision::double_ &&
         lattice::resolve_order(field.order, dimensions) == lattice::resolve_order({}, dimensions) &&
         !device::is_device_memory(field.data);
}

// The planes of one slice as rows. Those of the slice behind take their places one by one.
class PlanesAsRows {
 public:
  explicit PlanesAsRows(const physics::SliceSums& sums)
      : sums_(sums), lines_(sums.plane_lines(Precision::double_)), memory_((sums.planes() + 2) * lines_) {
    for (std::size_t plane = 0; plane < sums.planes() + 2; ++plane) planes_.push_back(memory_.get() + plane * lines_);
  }

  const kernels::RowLine* fill(std::size_t plane, std::span<const double> slice) {
    return fill_memory(planes_[plane], plane, slice);
  }
  // The rows of this plane of the slice behind, after the terms of the plane were added to `sums`. Plane by plane, in
  // their order.
  const kernels::RowLine* move_on(std::size_t plane, std::span<const double> behind, physics::SliceSums& sums) {
    const std::size_t planes = sums_.planes();
    kernels::RowLine*& spare = planes_[planes];
    kernels::RowLine*& first = planes_[planes + 1];  // of the slice, which is that after its last one
    fill_memory(spare, plane, behind);
    const kernels::RowLine* const next = plane + 1 < planes ? planes_[plane + 1] : planes == 1 ? planes_[0] : first;
    sums.add(Precision::double_, planes_[plane], next, spare);
    std::swap(planes_[plane], spare);
    if (plane == 0) std::swap(spare, first);
    return planes_[plane];
  }

 private:
  const kernels::RowLine* fill_memory(kernels::RowLine* rows, std::size_t plane, std::span<const double> slice) const {
    sums_.to_rows(Precision::double_, slice.data() + plane * sums_.plane_numbers(), rows);
    return rows;
  }

  const physics::SliceSums& sums_;
  std::size_t lines_;
  kernels::RowMemory memory_;
  std::vector<kernels::RowLine*> planes_;
};

// A field whose sites are all on one rank, slice by slice: in place if possible, else with copies of two slices for
// each thread. Calls each_plane(thread, first site, links, rows) for every plane of every slice; `rows` has the same
// links.
template <class EachPlane>
physics::SliceSums slice_sums(const Grid& grid, const Field& gauge, comm::Team& team, const EachPlane& each_plane) {
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
    physics::SliceSums& own = sums[static_cast<std::size_t>(thread)];
    const auto show = [&](std::uint64_t t, std::size_t plane, std::span<const double> links,
                          const kernels::RowLine* rows) {
      each_plane(thread, t * sites + plane * own.plane_sites(),
                 links.subspan(plane * own.plane_numbers(), own.plane_numbers()), rows);
    };
    std::vector<double> copy, copy_behind;
    physics::SiteStream stream(grid, gauge);
    PlanesAsRows rows(own);
    const std::span<const double> first = slice(stream, mine.begin, copy);
    for (std::size_t plane = 0; plane < own.planes(); ++plane) show(mine.begin, plane, first, rows.fill(plane, first));
    for (std::uint64_t t = mine.begin; t < mine.end; ++t) {
      const std::span<const double> behind = slice(stream, (t + 1) % slices, copy_behind);
      for (std::size_t plane = 0; plane < own.planes(); ++plane) {
        const kernels::RowLine* const further = rows.move_on(plane, behind, own);
        if (t + 1 < mine.end) show(t + 1, plane, behind, further);
      }
      std::swap(copy, copy_behind);
    }
  });
  for (std::size_t i = 1; i < sums.size(); ++i) sums.front().add(sums[i]);
  return sums.front();
}

physics::SliceSums slice_sums(const Grid& grid, const Field& gauge, int threads) {
  comm::Team team(threads);
  return slice_sums(grid, gauge, team, [](int, std::uint64_t, std::span<const double>, const kernels::RowLine*) {});
}

// A few sites suffice to find that most links are right; otherwise more decide: more(step) checks the sites whose
// number is a multiple of step.
template <class More>
physics::TransposedSample enough_of(const physics::TransposedSample& few, const Extents& extents, const More& more) {
  const std::uint64_t step = physics::TransposedSample::step_of_most(extents);
  const bool is_enough = few.is_right() || step == physics::TransposedSample::step_of_few(extents);
  return is_enough ? few : more(step);
}

}  // namespace

Plaquette plaquette(const Grid& grid, const Field& field, int threads) {
  const base::DefaultFloatEnvironment as_everywhere;  // helpers that start later have it, too
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
  const base::DefaultFloatEnvironment as_everywhere;  // helpers that start later have it, too
  const Field gauge = resolve_gauge(grid, field, "measure the link trace of");
  comm::Team team(physics::threads_for(grid, gauge, threads));
  LinkChecks checks =
      physics::sum_of_sites(grid, gauge, team, LinkChecks(grid, gauge.spec.colors),
                            [](LinkChecks& mine, std::uint64_t, std::span<const double> u) { mine.add_traces(u); });
  comm::combine_over_ranks(ranks_of(grid), checks);
  return checks.link_trace();
}

Unitarity unitarity(const Grid& grid, const Field& field, int threads) {
  const base::DefaultFloatEnvironment as_everywhere;  // helpers that start later have it, too
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
  const base::DefaultFloatEnvironment as_everywhere;  // helpers that start later have it, too
  const Field resolved = physics::resolve_any(grid, field, "scan for numbers that are not finite");
  comm::Team team(physics::threads_for(grid, resolved, threads));
  physics::Count found = physics::sum_of_sites(grid, resolved, team, physics::Count{},
                                               [](physics::Count& count, std::uint64_t, std::span<const double> u) {
                                                 count.value += physics::count_not_finite(u);
                                               });
  comm::combine_over_ranks(ranks_of(grid), found);
  return found.value;
}

Physics measure(const Grid& grid, const Field& field, int threads) {
  return physics::examine_links(grid, field, threads).physics;
}

namespace {

// For a field whose sites are all on one rank.
physics::ExaminedLinks examine_alone(const Grid& grid, const Field& gauge, int threads, bool with_joints) {
  const int colors = gauge.spec.colors;
  const Extents& extents = grid.extents();
  const std::size_t of_site = gauge.spec.numbers, row_sites = static_cast<std::size_t>(extents[0]);
  const bool are_joined = kernels::padded_sites(row_sites) == row_sites;  // rows without padding are one long row
  const std::size_t run_lines = kernels::row_lines(Precision::double_, LinkChecks::most_sites, of_site);
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
  std::vector<CheckedLinks> of_threads(static_cast<std::size_t>(team.size()),
                                       CheckedLinks{LinkChecks(grid, colors), {}, {}});
  const physics::SliceSums slices =
      slice_sums(grid, links, team,
                 [&](int thread, std::uint64_t site, std::span<const double> plane, const kernels::RowLine* rows) {
                   CheckedLinks& own = of_threads[static_cast<std::size_t>(thread)];
                   const std::size_t sites = plane.size() / of_site, long_row = are_joined ? sites : row_sites;
                   const std::size_t row_lines = kernels::row_lines(Precision::double_, long_row, of_site);
                   for (std::size_t row = 0; row < sites; row += long_row, rows += row_lines) {
                     for (std::size_t s = 0; s < long_row; s += LinkChecks::most_sites) {
                       const std::size_t count = std::min(LinkChecks::most_sites, long_row - s);
                       own.add_sites(grid, site + row + s, plane.subspan((row + s) * of_site, count * of_site),
                                     rows + s / LinkChecks::most_sites * run_lines);
                     }
                   }
                 });
  CheckedLinks& all = of_threads.front();
  for (std::size_t i = 1; i < of_threads.size(); ++i) all.add(of_threads[i]);

  physics::ExaminedLinks examined;
  examined.physics.plaquette = slices.plaquette();
  examined.physics.link_trace = slices.link_trace();
  examined.physics.unitarity = all.checks.unitarity(all.checks);
  examined.physics.not_finite = all.not_finite.value;
  examined.zeros = all.zeros;
  const std::span numbers(static_cast<const double*>(links.data), grid.volume() * of_site);
  if (with_joints) examined.broken = physics::sum_joints(extents, colors, numbers).broken(colors);
  const auto sample = [&](std::uint64_t step) {
    return physics::sum_transposed(extents, colors, numbers, step).sample();
  };
  examined.transposed = enough_of(sample(physics::TransposedSample::step_of_few(extents)), extents, sample);
  return examined;
}

}  // namespace

physics::ExaminedLinks physics::examine_links(const Grid& grid, const Field& field, int threads, bool with_joints) {
  const base::DefaultFloatEnvironment as_everywhere;  // helpers that start later have it, too
  const Field gauge = resolve_gauge(grid, field, "measure");
  const int colors = gauge.spec.colors;
  const int used = threads_for(grid, gauge, threads);
  if (ranks_of(grid).size() == 1) {
    return comm::agree(ranks_of(grid), [&] { return examine_alone(grid, gauge, used, with_joints); });
  }
  Links links(grid, colors, Reach::plaquettes);
  comm::Team team(used);
  const CheckedLinks mine = sum_of_sites(
      grid, gauge, team, CheckedLinks{LinkChecks(grid, colors), {}, {}},
      [&](CheckedLinks& seen, std::uint64_t site, std::span<const double> u) {
        links.set_sites(static_cast<std::size_t>(site), u);
        seen.checks.add_traces(u);
        seen.add_sites(grid, site, u);
      },
      LinkChecks::most_sites);
  links.refresh();
  CheckedLinks all = mine;
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
  if (with_joints) {
    Joints joints = comm::agree(ranks_of(grid), [&] { return sum_joints(grid.extents(), colors, links); });
    ranks_of(grid).all_reduce(joints.numbers(), comm::Reduce::sum);
    examined.broken = comm::agree_alike(ranks_of(grid), [&] { return joints.broken(colors); });
  }
  return examined;
}

bool physics::ExaminedLinks::is_noise(const Extents& extents, int colors) const noexcept {
  // In units of the error of the average over random links; for random SU(2) matrices Re Tr U / N has the width 1/2,
  // for larger groups a width smaller than 1/N.
  constexpr double enough = 5;
  const auto planes = static_cast<double>(extents.size() * (extents.size() - 1)) / 2;
  const double error = 1 / (colors * std::sqrt(static_cast<double>(volume(extents)) * planes));
  return physics.unitarity.far_links == 0 && std::abs(physics.plaquette.average) < enough * error;
}

}  // namespace lq
