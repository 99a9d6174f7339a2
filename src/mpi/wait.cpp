// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Polling with a pause in between that grows: where ranks share a core, those who wait must not take it from those who
// work.
#include "mpi/wait.hpp"

#include "base/backoff.hpp"

namespace lq::mpi {

void wait(MPI_Request& request, const char* what, MPI_Status* status) {
  int done = 0;
  check(MPI_Test(&request, &done, status), what);
  base::Backoff backoff(base::Backoff::Who::rank);
  while (done == 0) {
    backoff.wait();
    check(MPI_Test(&request, &done, status), what);
  }
}

void wait_all(std::vector<MPI_Request>& requests, const char* what) {
  for (MPI_Request& request : requests) wait(request, what);
}

}  // namespace lq::mpi
