// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/lemon/shape.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "mpi/mpi_error.hpp"

namespace lq::compat::lemon {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(Code::invalid_argument, what); }

struct Topology {
  std::vector<int> ranks;  // in each dimension
  std::vector<int> here;   // coordinates of this rank
};

Topology topology_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, count = 0;
  mpi::check(MPI_Topo_test(comm, &kind), "inspect the communicator");
  if (kind != MPI_CART) refuse("lemon: a lattice needs a Cartesian communicator");
  mpi::check(MPI_Cartdim_get(comm, &count), "inspect the Cartesian communicator");
  Topology topology{std::vector<int>(static_cast<std::size_t>(count)),
                    std::vector<int>(static_cast<std::size_t>(count))};
  std::vector<int> periods(topology.ranks.size());
  mpi::check(MPI_Cart_get(comm, count, topology.ranks.data(), periods.data(), topology.here.data()),
             "inspect the Cartesian communicator");
  return topology;
}

// One dimension of the file.
struct Axis {
  std::int64_t extent = 1, ranks = 1, here = 0;
  int of_communicator = 0;
};

// Slowest first.
std::vector<Axis> axes_of(const Topology& topology, const LatticeCall& call) {
  const std::size_t count = topology.ranks.size();
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (call.mapping != nullptr) {
    const std::vector<int> mapping(call.mapping, call.mapping + count);
    if (!std::is_permutation(mapping.begin(), mapping.end(), order.begin()))
      refuse("lemon: the mapping is not a permutation");
    order = mapping;
  }
  std::vector<Axis> axes;
  for (const int d : order) {
    const auto i = static_cast<std::size_t>(d);
    const Axis axis{call.extents[i], topology.ranks[i], topology.here[i], d};
    if (axis.extent < 0 || axis.extent % axis.ranks != 0) {
      refuse(fmt::format("lemon: extent {} in dimension {} is not a multiple of its {} ranks", axis.extent, d,
                         axis.ranks));
    }
    axes.push_back(axis);
  }
  return axes;
}

// An axis that is not cut continues the slower one.
std::vector<Axis> joined(const std::vector<Axis>& axes) {
  std::vector<Axis> result;
  for (const Axis& axis : axes) {
    if (result.empty() || axis.ranks > 1) {
      result.push_back(axis);
    } else if (__builtin_mul_overflow(result.back().extent, axis.extent, &result.back().extent)) {
      throw Error(Code::too_large, "lemon: more than 2^63 sites");
    }
  }
  return result;
}

void set_axes(Shape& shape, const std::vector<Axis>& axes) {
  const int count = static_cast<int>(axes.size());
  if (count > max_dimensions) refuse(fmt::format("lemon: {} dimensions are cut; {} may be", count, max_dimensions));
  shape.extents = shape.processes = Coord::filled(count, 1);
  shape.mine = whole(shape.extents);
  for (int d = 0; d < count; ++d) {
    const Axis& axis = axes[static_cast<std::size_t>(count - 1 - d)];
    shape.extents[d] = axis.extent;
    shape.processes[d] = axis.ranks;
    shape.mine.extents[d] = axis.extent / axis.ranks;
    shape.mine.lower[d] = axis.here * shape.mine.extents[d];
    shape.rank_order.push_back(d);
  }
  // MPI numbers ranks with the last dimension fastest.
  std::ranges::sort(shape.rank_order, std::greater(),
                    [&](int d) { return axes[static_cast<std::size_t>(count - 1 - d)].of_communicator; });
}

// Sites of an odd number of bytes as one site per row of this rank, where that is a multiple of four.
void join_odd_sites(Shape& shape) {
  const std::int64_t row = shape.mine.extents[0];
  if (shape.site_bytes % 4 == 0 || static_cast<std::uint64_t>(row) * (shape.site_bytes % 4) % 4 != 0) return;
  shape.site_bytes *= static_cast<std::uint64_t>(row);
  shape.extents[0] /= row;
  shape.mine.extents[0] = 1;
  shape.mine.lower[0] /= row;
}

}  // namespace

Shape shape_of(MPI_Comm cartesian, const LatticeCall& call) {
  const Topology topology = topology_of(cartesian);
  if (call.extents == nullptr) refuse("lemon: no extents");
  if (call.site_bytes < 0) refuse(fmt::format("lemon: sites of {} bytes", call.site_bytes));
  const std::vector<Axis> axes = axes_of(topology, call);
  const bool is_empty = call.site_bytes == 0 || std::ranges::any_of(axes, [](const Axis& a) { return a.extent == 0; });
  Shape shape;
  if (is_empty) return shape;
  set_axes(shape, axes.empty() ? std::vector<Axis>(1) : joined(axes));
  shape.site_bytes = static_cast<std::uint64_t>(call.site_bytes);
  shape.bytes = base::multiply_or_throw(volume(shape.extents), shape.site_bytes, "the bytes of the lattice");
  shape.local_bytes = shape.mine.volume() * shape.site_bytes;
  join_odd_sites(shape);
  return shape;
}

}  // namespace lq::compat::lemon
