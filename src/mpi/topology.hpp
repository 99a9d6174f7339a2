// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The process grid that a Cartesian communicator carries.
#pragma once

#include <limequat/mpi.hpp>

namespace lq::mpi {

// Local. The options completed by the topology of `comm`, if it has one. invalid_argument: axes without a Cartesian
// communicator or no permutation of its dimensions, another number of dimensions than the lattice, or options that
// contradict the topology.
GridOptions with_topology(GridOptions options, const Extents& extents, MPI_Comm comm, const SiteOrder& axes);

}  // namespace lq::mpi
