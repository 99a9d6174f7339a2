// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI_Init and MPI_Finalize for programs that leave them to us.
#include <limequat/mpi.hpp>

#include "mpi/mpi_error.hpp"

namespace lq::mpi {

Environment::Environment(int& argc, char**& argv) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) return;
  int provided = 0;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "initialise");
  owner_ = true;
}

Environment::~Environment() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (owner_ && finalised == 0) MPI_Finalize();
}

}  // namespace lq::mpi
