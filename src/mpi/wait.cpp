// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Polling with a yield in between.
#include "mpi/wait.hpp"

#include <thread>

namespace lq::mpi {

void wait(MPI_Request& request, const char* what) {
  int done = 0;
  check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
  while (done == 0) {
    std::this_thread::yield();
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
  }
}

void wait_all(std::vector<MPI_Request>& requests, const char* what) {
  for (MPI_Request& request : requests) wait(request, what);
}

}  // namespace lq::mpi
