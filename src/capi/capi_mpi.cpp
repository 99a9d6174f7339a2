// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The C API over MPI; part of limequat_mpi.
#include <limequat_mpi.h>

#include <limequat/mpi.hpp>

#include "capi/grid_call.hpp"
#include "capi/handles.hpp"

namespace {

using lq::capi::guarded;

MPI_Comm numbered(int comm) {
#ifdef MPI_ABI  // the standard ABI of MPI 5.0 has no names of Fortran
  return MPI_Comm_fromint(comm);
#else
  return MPI_Comm_f2c(comm);
#endif
}

}  // namespace

lq_status lq_grid_mpi(const int64_t* extents, int dimensions, MPI_Comm comm, lq_grid** grid) {
  return lq_grid_mpi_with(extents, dimensions, comm, nullptr, grid);
}

lq_status lq_grid_mpi_with(const int64_t* extents, int dimensions, MPI_Comm comm, const lq_grid_options* options,
                           lq_grid** grid) {
  return guarded([&] {
    const lq::Communicator group = lq::mpi::communicator(comm);
    auto [slot, call] = lq::capi::agreed(group, [&] {
      return std::pair(lq::capi::HandleSlot(grid, "grid"),
                       lq::capi::grid_call(extents, dimensions, options, group.size()));
    });
    slot.fill(lq::mpi::grid(call.extents, comm, call.options, call.axes));
  });
}

lq_status lq_communicator_mpi(MPI_Comm comm, lq_communicator** communicator) {
  return guarded([&] {
    const lq::Communicator group = lq::mpi::communicator(comm);
    lq::capi::agreed(group, [&] { return lq::capi::HandleSlot(communicator, "communicator"); }).fill(group);
  });
}

lq_status lq_grid_mpi_fortran(const int64_t* extents, int dimensions, int comm, const lq_grid_options* options,
                              lq_grid** grid) {
  return lq_grid_mpi_with(extents, dimensions, numbered(comm), options, grid);
}

lq_status lq_communicator_mpi_fortran(int comm, lq_communicator** communicator) {
  return lq_communicator_mpi(numbered(comm), communicator);
}
