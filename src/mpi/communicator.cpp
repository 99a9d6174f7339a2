// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI_Init and MPI_Finalize for programs that leave them to us, and the handle of a duplicated communicator.
#include <limequat/error.hpp>
#include <limequat/mpi.hpp>
#include <limequat/stall.hpp>

#include <string>

#include "mpi/mpi_comm.hpp"
#include "mpi/mpi_error.hpp"

namespace lq::mpi {

namespace {

void watch_stalls_of_this_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  watch_stalls_by_default(30, "limequat: rank " + std::to_string(rank));
}

}  // namespace

Environment::Environment(int& argc, char**& argv) {
  require_own_mpi();
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0) {
    int provided = 0;
    check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "initialise");
    owner_ = true;
  }
  watch_stalls_of_this_rank();
}

Environment::~Environment() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (owner_ && finalised == 0) MPI_Finalize();
}

Communicator communicator(MPI_Comm comm) {
  require_running();
  if (comm == MPI_COMM_NULL) {
    throw Error(Code::invalid_argument, "communicator: MPI_COMM_NULL; call on the ranks that are in the communicator");
  }
  int is_inter = 0;
  check(MPI_Comm_test_inter(comm, &is_inter), "inspect the communicator");
  if (is_inter != 0) {
    throw Error(Code::invalid_argument, "communicator: an intercommunicator; merge it first (MPI_Intercomm_merge)");
  }
  return Communicator(duplicate_of(comm));
}

}  // namespace lq::mpi
