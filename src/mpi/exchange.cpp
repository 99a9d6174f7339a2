// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A message travels in pieces of chunk_bytes; the first piece shorter than that (perhaps empty) ends it, so that no
// size has to be sent ahead.
#include "mpi/exchange.hpp"

#include <algorithm>
#include <thread>

#include "base/keep_failure.hpp"
#include "mpi/mpi_error.hpp"
#include "mpi/wait.hpp"

namespace lq::mpi {

Exchange::Exchange(MPI_Comm comm, std::size_t chunk_bytes, int parity)
    : comm_(comm), chunk_bytes_(chunk_bytes), tag_first_(2 + parity), tag_rest_(4 + parity) {}

std::vector<comm::Message> Exchange::run(std::vector<comm::Message> outgoing) {
  int rank = 0;
  MPI_Comm_rank(comm_, &rank);
  // Whoever has no memory sends nothing, but receives, for the others wait until their messages are taken.
  base::keep_failure(failure_, [&] {
    std::size_t pieces = 0;
    for (const auto& message : outgoing) pieces += message.bytes.size() / chunk_bytes_ + 1;
    sends_.reserve(pieces);
    incoming_.reserve(1);
  });
  for (auto& message : outgoing) {
    if (failure_) break;
    if (message.rank == rank) {
      incoming_.push_back(std::move(message));
    } else {
      send(message);
    }
  }
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool in_barrier = false;
  int done = 0;
  while (done == 0) {
    if (receive_one()) continue;
    if (in_barrier) {
      check(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "exchange messages");
    } else if (all_sent()) {
      check(MPI_Ibarrier(comm_, &barrier), "exchange messages");
      in_barrier = true;
    }
    // Where ranks share a core, the one that is waited for needs it.
    std::this_thread::yield();
  }
  if (failure_) std::rethrow_exception(failure_);
  std::sort(incoming_.begin(), incoming_.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return std::move(incoming_);
}

void Exchange::send(const comm::Message& message) {
  std::size_t sent = 0;
  bool ended = false;
  while (!ended) {
    const std::size_t count = std::min(chunk_bytes_, message.bytes.size() - sent);
    const auto start = sent == 0 ? &MPI_Issend : &MPI_Isend;
    const int tag = sent == 0 ? tag_first_ : tag_rest_;
    MPI_Request& request = sends_.emplace_back(MPI_REQUEST_NULL);
    check(start(message.bytes.data() + sent, static_cast<int>(count), MPI_BYTE, message.rank, tag, comm_, &request),
          "send a message");
    sent += count;
    ended = count < chunk_bytes_;
  }
}

// Takes one message, if one is waiting.
bool Exchange::receive_one() {
  int waiting = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, tag_first_, comm_, &waiting, &status), "look for messages");
  if (waiting == 0) return false;
  const int sender = status.MPI_SOURCE;
  std::vector<std::byte> bytes = receive_from(sender);
  base::keep_failure(failure_, [&] { incoming_.push_back({sender, std::move(bytes)}); });
  return true;
}

std::vector<std::byte> Exchange::receive_from(int sender) {
  std::vector<std::byte> bytes;
  std::size_t piece = chunk_bytes_;
  for (int tag = tag_first_; piece == chunk_bytes_; tag = tag_rest_) {
    MPI_Status status;
    int count = 0;
    int waiting = 0;
    while (waiting == 0) {
      check(MPI_Iprobe(sender, tag, comm_, &waiting, &status), "look for a message");
      if (waiting == 0) std::this_thread::yield();
    }
    check(MPI_Get_count(&status, MPI_BYTE, &count), "find the size of a message");
    piece = static_cast<std::size_t>(count);
    const std::size_t before = bytes.size();
    base::keep_failure(failure_, [&] { bytes.resize(before + piece); });
    if (bytes.size() < before + piece) {
      discard(sender, tag);
      continue;
    }
    complete("receive a message", [&](MPI_Request* request) {
      return MPI_Irecv(bytes.data() + before, count, MPI_BYTE, sender, tag, comm_, request);
    });
  }
  return bytes;
}

// A message is taken by a receive that has no room for it, too; that it was cut is the answer that is expected. A call
// that waits, for the message is there: MPICH (4.0.2) asks the communicator what to do about the answer of MPI_Recv,
// but ends the program after that of MPI_Test.
void Exchange::discard(int sender, int tag) { MPI_Recv(nullptr, 0, MPI_BYTE, sender, tag, comm_, MPI_STATUS_IGNORE); }

bool Exchange::all_sent() {
  int sent = 0;
  check(MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &sent, MPI_STATUSES_IGNORE), "send messages");
  return sent != 0;
}

}  // namespace lq::mpi
