// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conversion of the arguments of a grid; for this library and for the MPI component.
#pragma once

#include "capi/handles.hpp"
#include "capi/options.hpp"

namespace lq::capi {

inline lq_grid_options default_grid() {
  lq_grid_options c{};
  c.struct_size = sizeof c;
  c.holds_sites = 1;
  return c;
}

inline SiteOrder order_of(const int* values, int dimensions) {
  return values == nullptr ? SiteOrder() : SiteOrder(values, values + dimensions);
}

struct GridCall {
  Extents extents;
  GridOptions options;
  SiteOrder axes;
};

// The rank at each place of the process grid. If that needs more than `size` ranks, the table is not read, because the
// grid rejects its size.
inline std::vector<int> ranks_of(const int* ranks, const std::optional<Extents>& processes, int size) {
  if (ranks == nullptr) return {};
  if (!processes) reject("ranks is given, but processes is NULL; give the process grid");
  const std::uint64_t places = volume(*processes);
  if (places > static_cast<std::uint64_t>(size)) return {};
  return std::vector<int>(ranks, ranks + places);
}

// Local; call it inside agreed(). `size`: size of the communicator.
inline GridCall grid_call(const int64_t* extents, int dimensions, const lq_grid_options* options, int size) {
  const lq_grid_options c = given_options(options, default_grid());
  GridCall call;
  call.extents = coord_of(extents, dimensions, "extents");
  if (c.processes != nullptr) call.options.processes = coord_of(c.processes, dimensions, "processes");
  call.options.rank_order = order_of(c.rank_order, dimensions);
  call.options.ranks = ranks_of(c.ranks, call.options.processes, size);
  if (c.coordinates != nullptr) call.options.coordinates = coord_of(c.coordinates, dimensions, "coordinates");
  call.options.idle_ranks = c.idle_ranks != 0;
  call.options.holds_sites = c.holds_sites != 0;
  call.axes = order_of(c.axes, dimensions);
  return call;
}

}  // namespace lq::capi
