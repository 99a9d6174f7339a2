// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tasks that meet: the ranks of a communicator, or the threads of its ranks.
#pragma once

#include <mpi.h>

#include <barrier>
#include <memory>
#include <string>
#include <vector>

namespace lq::partest {

// All operations are collective.
class Group {
 public:
  virtual ~Group() = default;
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  virtual void barrier() = 0;
  // What each of them says, on task 0.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;
  // What task 0 says.
  virtual std::string broadcast(const std::string& text) = 0;
};

std::unique_ptr<Group> make_ranks(MPI_Comm comm);

// The threads of a rank, as many on each; thread 0 communicates for them.
class ThreadTeam {
 public:
  ThreadTeam(int threads, MPI_Comm comm);
  int threads() const noexcept { return threads_; }

 private:
  friend class ThreadGroup;
  int threads_;
  std::unique_ptr<Group> ranks_;
  std::barrier<> meeting_;
  std::vector<std::string> texts_;  // by thread
  std::string answer_;
};

// Tasks are numbered rank * threads + thread.
std::unique_ptr<Group> make_threads(ThreadTeam& team, int thread);

}  // namespace lq::partest
