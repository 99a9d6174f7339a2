// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/u1_links.hpp"

#include <cmath>

#include "physics/links.hpp"
#include "physics/plaquettes.hpp"
#include "physics/site_sums.hpp"

namespace lq::physics {

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
  constexpr int colors = 1;
  Links links(grid, colors, Reach::plaquettes);
  comm::Team team(threads_for(grid, field, threads));
  share_sites(grid, field, team, [&](int, std::uint64_t site, std::span<const double> angles) {
    links.set_site(site, phases_of(angles));
  });
  return average_plaquette(grid, colors, links, team).average;
}

}  // namespace lq::physics
