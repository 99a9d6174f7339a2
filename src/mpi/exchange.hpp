// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sparse all-to-all: each rank sends to the few ranks it names and does not know who sends to it.
#pragma once

#include <exception>
#include <vector>

#include <limequat/mpi.hpp>

#include "comm/comm.hpp"

namespace lq::mpi {

// One exchange by non-blocking consensus: send synchronously, receive whatever comes, enter a non-blocking barrier
// once the own messages have been received, and stop when all have entered it. Work and memory grow with the
// messages of this rank; an MPI_Alltoall of sizes would cost every rank an entry for every other rank each time,
// although a halo exchange has at most sixteen partners.
class Exchange {
 public:
  // `parity` alternates from call to call. A rank may see the barrier complete late, while a faster one sends for
  // the next exchange already: its messages have another tag. They cannot be two exchanges apart.
  Exchange(MPI_Comm comm, std::size_t chunk_bytes, int parity);

  // Messages received, by sender.
  std::vector<comm::Message> run(std::vector<comm::Message> outgoing);

 private:
  void send(const comm::Message& message);
  bool receive_one();
  std::vector<std::byte> receive_from(int sender);
  void discard(int sender, int tag);
  bool all_sent();

  MPI_Comm comm_;
  std::size_t chunk_bytes_;
  int tag_first_;  // the first piece of a message: announces it
  int tag_rest_;   // the pieces that follow
  std::vector<MPI_Request> sends_;
  std::vector<comm::Message> incoming_;
  std::exception_ptr failure_;  // memory that was missing
};

}  // namespace lq::mpi
