// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields whose numbers follow from the site alone, exactly representable in single precision, so that whatever
// path the data took can be checked on any rank.
#pragma once

#include <cstdint>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

#include "lattice/site_order.hpp"
#include "support/quick.hpp"

namespace lq::testing {

// Number n of the site of that rank: a whole number below 2^24 in size, with both signs.
LQ_QUICK inline double formula(std::uint64_t site_rank, std::uint64_t n) {
  const std::uint64_t mixed = (site_rank * 1315423911ULL + n * 2654435761ULL + 12345) % 16777213ULL;
  return static_cast<double>(mixed) - 8388606.0;
}

// The local sites of a grid in memory of type T, in a given order; `corner` places the grid in a larger lattice.
template <class T>
LQ_QUICK std::vector<T> formula_sites(const Grid& grid, std::uint64_t numbers, const SiteOrder& memory_order = {},
                                      const Extents& lattice = {}, const Coord& corner = {}) {
  const Box& box = grid.local_box();
  const SiteOrder order = lattice::resolve_order(memory_order, box.extents.size());
  const Extents& extents = lattice.size() == 0 ? grid.extents() : lattice;
  std::vector<T> values(static_cast<std::size_t>(grid.local_volume() * numbers));
  for (std::uint64_t site = 0; site < grid.local_volume(); ++site) {
    Coord x = lattice::site_at(site, box, order);
    for (int d = 0; d < corner.size(); ++d) x[d] += corner[d];
    const std::uint64_t rank = lattice::site_rank(x, extents);
    for (std::uint64_t n = 0; n < numbers; ++n) {
      values[static_cast<std::size_t>(site * numbers + n)] = static_cast<T>(formula(rank, n));
    }
  }
  return values;
}

}  // namespace lq::testing
