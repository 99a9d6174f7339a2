// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/box_grid.hpp"

#include <algorithm>
#include <array>

#include "comm/agree.hpp"
#include "lattice/site_order.hpp"

namespace lq::compat::qio {
namespace {

// The box around all boxes, and the extents of each.
struct Around {
  Box region, each;
};

// Collective. Nothing where some sites are no box, or boxes differ.
std::optional<Around> find_neighbours(comm::Comm& nodes, int dimensions, const NodeSites& mine) {
  std::array<std::uint64_t, 4 * max_dimensions + 1> ends{};
  if (mine.count() > 0 && !mine.box()) ends.back() = 1;
  for (int d = 0; mine.box() && d < dimensions; ++d) {
    const auto lower = static_cast<std::uint64_t>(mine.box()->lower[d]);
    const auto extent = static_cast<std::uint64_t>(mine.box()->extents[d]);
    const std::uint64_t mine_of[] = {lower + extent, ~lower, extent, ~extent};
    std::ranges::copy(mine_of, ends.begin() + 4 * d);
  }
  nodes.all_reduce(ends, comm::Reduce::max);
  if (ends.back() != 0 || ends[0] == 0) return std::nullopt;
  Around around{whole(Coord::filled(dimensions, 1)), whole(Coord::filled(dimensions, 1))};
  for (int d = 0; d < dimensions; ++d) {
    const auto at = ends.begin() + 4 * d;
    if (at[2] != ~at[3] || (at[0] - ~at[1]) % at[2] != 0) return std::nullopt;
    around.region.lower[d] = static_cast<std::int64_t>(~at[1]);
    around.region.extents[d] = static_cast<std::int64_t>(at[0] - ~at[1]);
    around.each.extents[d] = static_cast<std::int64_t>(at[2]);
  }
  return around;
}

// How many of the fastest dimensions, except for one, are whole on each node.
int whole_dimensions(const Extents& lattice, const Around& around) {
  int d = 0;
  while (d + 1 < lattice.size() && around.each.extents[d] == lattice[d]) ++d;
  return d;
}

// A box that has all of the `count` fastest dimensions, where these are one with the next one.
Box joined(const Box& box, int count) {
  Box joined = whole(Extents::filled(box.extents.size() - count, 1));
  std::int64_t sites = 1;
  for (int d = 0; d < count; ++d) sites *= box.extents[d];
  for (int d = count; d < box.extents.size(); ++d, sites = 1) {
    joined.lower[d - count] = box.lower[d] * sites;
    joined.extents[d - count] = box.extents[d] * sites;
  }
  return joined;
}

// Collective. On how many nodes it is so.
std::uint64_t count(comm::Comm& nodes, bool is_so) {
  std::uint64_t number = is_so ? 1 : 0;
  nodes.all_reduce({&number, 1}, comm::Reduce::sum);
  return number;
}

// The number of a node's box in the grid, x first; nothing: it has none, or not in a place of the grid.
std::optional<int> number_of(const NodeSites& mine, const Around& around, const Extents& processes) {
  if (!mine.box()) return std::nullopt;
  Coord place = processes;
  for (int d = 0; d < processes.size(); ++d) {
    const std::int64_t from_first = mine.box()->lower[d] - around.region.lower[d];
    if (from_first % around.each.extents[d] != 0) return std::nullopt;
    place[d] = from_first / around.each.extents[d];
  }
  return static_cast<int>(lattice::site_rank(place, processes));
}

}  // namespace

std::optional<Boxes> boxes_of(comm::Comm& nodes, const Extents& lattice, const NodeSites& mine) {
  const std::optional<Around> around = find_neighbours(nodes, lattice.size(), mine);
  if (!around) return std::nullopt;
  Extents processes = around->region.extents;
  for (int d = 0; d < processes.size(); ++d) processes[d] /= around->each.extents[d];
  const std::uint64_t places = volume(processes);
  const std::optional<int> number = number_of(mine, *around, processes);
  if (count(nodes, number.has_value()) != places) return std::nullopt;
  std::shared_ptr<comm::Comm> in_order(std::shared_ptr<comm::Comm>(), &nodes);
  if (count(nodes, number == nodes.rank()) != static_cast<std::uint64_t>(nodes.size())) {
    in_order = comm::agree(
        nodes, [&] { return std::shared_ptr<comm::Comm>(nodes.split(number ? 0 : 1, number.value_or(nodes.rank()))); });
    // Two nodes with one box, that have a place twice.
    if (count(nodes, number == in_order->rank()) != places) return std::nullopt;
  }
  const int joining = whole_dimensions(lattice, *around);
  Boxes boxes{joined(whole(lattice), joining).extents, joined(around->region, joining), {}, {}};
  if (number) boxes.own = joined(*mine.box(), joining);
  const Extents grid = joined(whole(processes), joining).extents;  // of what is joined it has one place
  // Those without sites learn of it if there is no memory for the grid.
  comm::agree(nodes, [&] {
    if (number) boxes.grid.emplace(Communicator(in_order), boxes.region.extents, GridOptions{.processes = grid});
  });
  return boxes;
}

}  // namespace lq::compat::qio
