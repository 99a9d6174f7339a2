// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/box_grid.hpp"

#include <array>

#include "comm/agree.hpp"
#include "lattice/site_order.hpp"

namespace lq::compat::qio {
namespace {

// A node's box as one of many of its extents.
struct Place {
  Extents processes;
  int number = 0;  // x first
};

std::optional<Place> place_of(const std::optional<Box>& box, const Extents& extents, int nodes) {
  if (!box) return std::nullopt;
  Place place{Coord::filled(extents.size(), 1)};
  Coord mine = place.processes;
  for (int d = 0; d < extents.size(); ++d) {
    if (extents[d] % box->extents[d] != 0 || box->lower[d] % box->extents[d] != 0) return std::nullopt;
    place.processes[d] = extents[d] / box->extents[d];
    mine[d] = box->lower[d] / box->extents[d];
  }
  if (volume(place.processes) != static_cast<std::uint64_t>(nodes)) return std::nullopt;
  place.number = static_cast<int>(lattice::site_rank(mine, place.processes));
  return place;
}

// Collective. Whether it is so on all nodes.
bool holds_for_all(comm::Comm& nodes, bool holds) {
  std::uint64_t fails = holds ? 0 : 1;
  nodes.all_reduce({&fails, 1}, comm::Reduce::max);
  return fails == 0;
}

// Collective. Whether all nodes see the same grid.
bool is_same(comm::Comm& nodes, const std::optional<Place>& place) {
  std::array<std::uint64_t, 2 * max_dimensions> ends{};
  for (int d = 0; place && d < place->processes.size(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    ends[at] = static_cast<std::uint64_t>(place->processes[d]);
    ends[at + max_dimensions] = ~ends[at];
  }
  const auto mine = ends;
  nodes.all_reduce(ends, comm::Reduce::max);
  return holds_for_all(nodes, place.has_value() && ends == mine);
}

}  // namespace

std::optional<Grid> grid_of_boxes(comm::Comm& nodes, const Extents& extents, const NodeSites& mine) {
  const std::optional<Place> place = place_of(mine.box(), extents, nodes.size());
  if (!is_same(nodes, place)) return std::nullopt;
  std::shared_ptr<comm::Comm> in_order(std::shared_ptr<comm::Comm>(), &nodes);
  if (!holds_for_all(nodes, place->number == nodes.rank())) {
    in_order = comm::agree(nodes, [&] { return std::shared_ptr<comm::Comm>(nodes.split(0, place->number)); });
    // Two nodes with one box, that have a place twice.
    if (!holds_for_all(nodes, place->number == in_order->rank())) return std::nullopt;
  }
  return Grid(Communicator(in_order), extents, {.processes = place->processes});
}

}  // namespace lq::compat::qio
