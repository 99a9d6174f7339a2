// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that end together: a signal that one of them receives ends the work of all, however far they are from the next
// collective operation.
#pragma once

#include <array>

#include <limequat/mpi.hpp>

namespace lq::cli {

class EndingRanks {
 public:
  // Collective over MPI_COMM_WORLD. One object at a time, on the thread that calls MPI.
  EndingRanks();
  EndingRanks(const EndingRanks&) = delete;
  EndingRanks& operator=(const EndingRanks&) = delete;

  // Local. The number of a signal that this rank (`own`) or another one has received; 0: none. The first one is passed
  // on to ranks at distances of powers of two, so that it arrives wherever some ranks wait for others.
  static int tell(int own) noexcept;
  // Collective, when the work has ended: the largest number of all ranks. If it is 0, no message is left.
  static int finish(int own);

 private:
  void pass_on() noexcept;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 1;
  int told_ = 0, heard_ = 0;
  MPI_Request hearing_ = MPI_REQUEST_NULL;
  std::array<MPI_Request, 64> passed_{};
};

}  // namespace lq::cli
