// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The lattice over the ranks of an MPI communicator.
#include <exception>

#include <limequat/mpi.hpp>

#include "mpi/topology.hpp"

namespace lq::mpi {

Grid grid(const Extents& extents, MPI_Comm comm, const GridOptions& options, const SiteOrder& axes) {
  const Communicator ranks = communicator(comm);
  GridOptions complete;
  std::exception_ptr failure;
  try {
    complete = with_topology(options, extents, comm, axes);
  } catch (...) {
    failure = std::current_exception();
  }
  ranks.agree(failure);
  return Grid(ranks, extents, complete);
}

}  // namespace lq::mpi
