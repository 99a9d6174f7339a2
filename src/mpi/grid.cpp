// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The lattice over the ranks of an MPI communicator, and the process grid of a Cartesian one. MPI numbers the ranks of
// a Cartesian communicator with its last dimension fastest (MPI 3.1, 7.2), with or without reordering; this alone
// determines the coordinates of every rank.
#include <algorithm>
#include <exception>
#include <string>

#include <limequat/mpi.hpp>

#include "base/error.hpp"
#include "mpi/calls.hpp"

namespace lq::mpi {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& expected, const std::string& found) {
  base::fail(Code::invalid_argument, {.expected = expected, .found = found}, "grid: {}: found {}, expected {}", what,
             found, expected);
}

std::string list(const SiteOrder& values) {
  std::string text;
  for (const int value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "{" + text + "}";
}

// Empty without a Cartesian topology.
std::vector<int> dimensions_of(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  check(MPI_Topo_test(comm, &topology), "inspect the communicator");
  if (topology != MPI_CART) return {};
  int count = 0;
  check(MPI_Cartdim_get(comm, &count), "inspect the Cartesian communicator");
  std::vector<int> dimensions(static_cast<std::size_t>(count));
  std::vector<int> periods(dimensions.size());
  std::vector<int> coordinates(dimensions.size());
  check(MPI_Cart_get(comm, count, dimensions.data(), periods.data(), coordinates.data()),
        "inspect the Cartesian communicator");
  return dimensions;
}

SiteOrder resolve_axes(SiteOrder axes, int count) {
  const bool given = !axes.empty();
  SiteOrder all;
  for (int c = 0; c < count; ++c) all.push_back(c);
  if (!given) return all;
  if (static_cast<int>(axes.size()) != count || !std::is_permutation(axes.begin(), axes.end(), all.begin())) {
    refuse("axes of a Cartesian communicator", "a permutation of " + list(all), list(axes));
  }
  return axes;
}

// Local. The options completed by the topology of `comm`, if it has one. invalid_argument: axes without a Cartesian
// communicator or that are not a permutation of its dimensions, another number of dimensions than the lattice, or
// options that contradict the topology. With `has_own_map` (ranks or coordinates) the topology is not used.
GridOptions with_topology(GridOptions options, const Extents& extents, MPI_Comm comm, const SiteOrder& axes,
                          bool has_own_map) {
  if (has_own_map) {
    if (!axes.empty()) refuse("axes " + list(axes), "none, because ranks or coordinates are given", "both");
    return options;
  }
  const std::vector<int> dimensions = dimensions_of(comm);
  if (dimensions.empty()) {
    if (!axes.empty()) refuse("axes " + list(axes), "a Cartesian communicator", "a plain one");
    return options;
  }
  const int count = static_cast<int>(dimensions.size());
  if (count != extents.size()) {
    refuse("lattice " + to_string(extents) + " over a Cartesian communicator",
           std::to_string(extents.size()) + " dimensions (or a plain communicator)", std::to_string(count));
  }
  const SiteOrder along = resolve_axes(axes, count);
  Extents processes = Extents::filled(count, 1);
  for (int d = 0; d < count; ++d) {
    processes[d] = dimensions[static_cast<std::size_t>(along[static_cast<std::size_t>(d)])];
  }
  SiteOrder order;
  for (int c = count - 1; c >= 0; --c) {
    order.push_back(static_cast<int>(std::find(along.begin(), along.end(), c) - along.begin()));
  }
  if (options.processes && *options.processes != processes) {
    refuse("process grid", "that of the Cartesian communicator, " + to_string(processes),
           to_string(*options.processes));
  }
  if (!options.rank_order.empty() && options.rank_order != order) {
    refuse("rank order", "that of the Cartesian communicator, " + list(order), list(options.rank_order));
  }
  options.processes = processes;
  options.rank_order = order;
  return options;
}

}  // namespace

Grid grid(const Extents& extents, MPI_Comm comm, const GridOptions& options, const SiteOrder& axes) {
  const Communicator ranks = communicator(comm);
  // Coordinates may be given on only some ranks.
  const bool has_own_map = ranks.max(options.coordinates || !options.ranks.empty() ? 1 : 0) > 0;
  GridOptions complete;
  std::exception_ptr failure;
  try {
    complete = with_topology(options, extents, comm, axes, has_own_map);
  } catch (...) {
    failure = std::current_exception();
  }
  ranks.agree(failure);
  return Grid(ranks, extents, complete);
}

}  // namespace lq::mpi
