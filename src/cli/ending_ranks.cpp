// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Linked into programs over MPI only.
#include "cli/ending_ranks.hpp"

#include <cstddef>

namespace lq::cli {
namespace {

EndingRanks* of_this_program = nullptr;

}  // namespace

EndingRanks::EndingRanks() {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  MPI_Irecv(&heard_, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm_, &hearing_);
  of_this_program = this;
}

int EndingRanks::tell(int own) noexcept {
  EndingRanks& me = *of_this_program;
  if (me.told_ != 0) return me.told_;
  int has_heard = 0;
  if (own == 0) MPI_Test(&me.hearing_, &has_heard, MPI_STATUS_IGNORE);
  me.told_ = has_heard != 0 ? me.heard_ : own;
  if (me.told_ != 0) me.pass_on();
  return me.told_;
}

// These messages are never completed: the program ends by the signal.
void EndingRanks::pass_on() noexcept {
  std::size_t count = 0;
  for (long long distance = 1; distance < ranks_; distance *= 2) {
    for (const long long to : {rank_ + distance, rank_ - distance + ranks_}) {
      MPI_Isend(&told_, 1, MPI_INT, static_cast<int>(to % ranks_), 0, comm_, &passed_.at(count++));
    }
  }
}

int EndingRanks::finish(int own) {
  EndingRanks& me = *of_this_program;
  int number = me.told_ != 0 ? me.told_ : own;
  MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (number == 0) {
    MPI_Cancel(&me.hearing_);
    MPI_Wait(&me.hearing_, MPI_STATUS_IGNORE);
    MPI_Comm_free(&me.comm_);
  }
  return number;
}

}  // namespace lq::cli
