// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The lattice over the ranks of an MPI communicator.
#include <limequat/mpi.hpp>

#include "comm/agree.hpp"
#include "mpi/topology.hpp"

namespace lq::mpi {

Grid grid(const Extents& extents, MPI_Comm comm, const GridOptions& options, const SiteOrder& axes) {
  const Communicator ranks = communicator(comm);
  GridOptions complete;
  comm::agree(ranks.engine(), [&] { complete = with_topology(options, extents, comm, axes); });
  return Grid(ranks, extents, complete);
}

}  // namespace lq::mpi
