// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// <limequat/cxx17.hpp> over MPI; link limequat_mpi.
#pragma once

#include <limequat_mpi.h>

#include <limequat/cxx17.hpp>

namespace lq::cxx17 {

// Collective over `comm`, which is duplicated. Distributes the lattice over its ranks; a Cartesian communicator gives
// process grid and rank order; for others the process grid is chosen if `processes` is empty.
inline Grid grid(const std::vector<std::int64_t>& extents, MPI_Comm comm = MPI_COMM_WORLD,
                 const std::vector<std::int64_t>& processes = {}) {
  lq_grid_options options{};
  check(lq_grid_options_init(&options, sizeof options));
  // One number for each extent; any other length is refused like a process grid of zeros.
  std::vector<std::int64_t> wanted(extents.size());
  if (processes.size() == extents.size()) wanted = processes;
  if (!processes.empty()) options.processes = wanted.data();
  return made<Grid>([&](lq_grid** made_grid) {
    return lq_grid_mpi_with(extents.data(), static_cast<int>(extents.size()), comm, &options, made_grid);
  });
}

// Collective over `comm`, which is duplicated. For options.c().communicator of questions over ranks.
inline Communicator communicator(MPI_Comm comm) {
  return made<Communicator>([&](lq_communicator** group) { return lq_communicator_mpi(comm, group); });
}

}  // namespace lq::cxx17
