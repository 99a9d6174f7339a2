// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for MPI without holding on to the core. Blocking calls of MPICH spin for a whole slice of the scheduler
// before another rank on the same core may run, which makes collectives a hundred times slower on a laptop; so all
// operations here are started as non-blocking ones and waited for with a yield between polls, which costs nothing
// where each rank has a core of its own.
#pragma once

#include <vector>

#include <limequat/mpi.hpp>

#include "mpi/mpi_error.hpp"

namespace lq::mpi {

// Until the request is complete; Error(communication) as check() does.
void wait(MPI_Request& request, const char* what, MPI_Status* status = MPI_STATUS_IGNORE);
void wait_all(std::vector<MPI_Request>& requests, const char* what);

// Starts an operation by a call that fills the request, and waits for it.
template <class Start>
void complete(const char* what, Start start) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(start(&request), what);
  wait(request, what);
}

}  // namespace lq::mpi
