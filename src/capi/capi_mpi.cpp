// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The C API over MPI; part of limequat_mpi.
#include <limequat_mpi.h>

#include <limequat/mpi.hpp>

#include "capi/handles.hpp"
#include "capi/option_struct.hpp"

namespace {

using lq::capi::coord_of;
using lq::capi::given;
using lq::capi::guarded;

lq_grid_options default_grid() {
  lq_grid_options c{};
  c.struct_size = sizeof c;
  c.holds_sites = 1;
  return c;
}

lq::SiteOrder order_of(const int* values, int dimensions) {
  return values == nullptr ? lq::SiteOrder() : lq::SiteOrder(values, values + dimensions);
}

// The arguments of a grid, translated.
struct GridCall {
  lq::Extents extents;
  lq::GridOptions options;
  lq::SiteOrder axes;
};

GridCall grid_call(const int64_t* extents, int dimensions, const lq_grid_options* options, lq_grid** grid) {
  given(grid, "grid");
  const lq_grid_options c = lq::capi::given_options(options, default_grid());
  GridCall call;
  call.extents = coord_of(extents, dimensions, "extents");
  if (c.processes != nullptr) call.options.processes = coord_of(c.processes, dimensions, "processes");
  call.options.rank_order = order_of(c.rank_order, dimensions);
  call.options.idle_ranks = c.idle_ranks != 0;
  call.options.holds_sites = c.holds_sites != 0;
  call.axes = order_of(c.axes, dimensions);
  return call;
}

}  // namespace

lq_status lq_grid_options_init(lq_grid_options* options, size_t struct_size) {
  return lq::capi::init_options(options, struct_size, default_grid);
}

lq_status lq_grid_mpi(const int64_t* extents, int dimensions, MPI_Comm comm, lq_grid** grid) {
  return lq_grid_mpi_with(extents, dimensions, comm, nullptr, grid);
}

lq_status lq_grid_mpi_with(const int64_t* extents, int dimensions, MPI_Comm comm, const lq_grid_options* options,
                           lq_grid** grid) {
  return guarded([&] {
    const auto call =
        lq::capi::agreed(lq::mpi::communicator(comm), [&] { return grid_call(extents, dimensions, options, grid); });
    *grid = new lq_grid{lq::mpi::grid(call.extents, comm, call.options, call.axes)};
  });
}

lq_status lq_communicator_mpi(MPI_Comm comm, lq_communicator** communicator) {
  return guarded([&] {
    const lq::Communicator group = lq::mpi::communicator(comm);
    lq::capi::agreed(group, [&] { return given(communicator, "communicator"); });
    *communicator = new lq_communicator{group};
  });
}
