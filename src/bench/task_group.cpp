// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A subset of the ranks of MPI_COMM_WORLD as tasks.
#include "bench/over_mpi.hpp"

#include <chrono>
#include <exception>
#include <thread>

#include <limequat/mpi.hpp>

namespace lq::bench {
namespace {

// A communicator of the first ranks, numbered from `shift` on; MPI_COMM_NULL on the others.
class Tasks {
 public:
  Tasks(int tasks, int shift) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < tasks ? 0 : MPI_UNDEFINED, (rank + shift) % tasks, &comm_);
  }
  ~Tasks() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  const MPI_Comm& get() const noexcept { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// A barrier that leaves the cores to ranks that still work: hundreds that poll every few microseconds would not.
void sleep_until_all_are_here() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

void with_tasks(int tasks, int shift, const std::function<void(const TaskGroup& group)>& work) {
  const Communicator all = mpi::communicator();
  std::exception_ptr failure;
  {
    const Tasks writers(tasks, 0), readers(tasks, shift);
    try {
      if (writers.get() != MPI_COMM_NULL) {
        TaskGroup group{mpi::communicator(writers.get()), mpi::communicator(readers.get())};
#ifdef LQ_WITH_SION
        group.make_multifile = [&] { return make_multifile_side(&writers.get(), &readers.get()); };
#endif
        work(group);
      }
    } catch (...) {
      failure = std::current_exception();
    }
    sleep_until_all_are_here();
  }
  all.agree(failure);
}

}  // namespace lq::bench
