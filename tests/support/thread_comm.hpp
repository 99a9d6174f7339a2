// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks as threads of one process, so that collective code is tested without MPI, faults included. A group in
// which not all ranks can meet any more (one has left, they call different operations, or all wait for each
// other) does not hang: its operations throw Error(communication).
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "comm/comm.hpp"

namespace lq::testing {

class Turns;

using RankBody = std::function<void(std::shared_ptr<comm::Comm> comm)>;

// What a rank did.
struct Traffic {
  std::uint64_t collectives = 0;
  std::uint64_t messages = 0;         // sent in flight, and those of all_to_all
  std::uint64_t bytes = 0;            // of those messages
  std::uint64_t messages_abroad = 0;  // of them, those to other nodes
  std::uint64_t bytes_abroad = 0;
  // Messages that had to wait for each other, up to what the rank did last: each takes one step of who sends and of who
  // receives it, a collective operation as many as a tree of its ranks has levels.
  std::uint64_t steps = 0;
};

// The machine that the ranks believe to run on.
struct Simulation {
  int ranks_per_node = 1 << 30;             // ranks of other nodes share nothing
  std::vector<Traffic>* traffic = nullptr;  // one entry per rank, counted by the ranks' first communicator
  Turns* turns = nullptr;                   // of the ranks, of which then one runs at a time
};

// Runs `body` on n ranks and waits for all; rethrows the exception that left a body first.
void run_ranks(int n, const RankBody& body, const Simulation& simulation = {});

// The same, but returns what left each body, nullptr for those that returned.
std::vector<std::exception_ptr> outcomes_of_ranks(int n, const RankBody& body, const Simulation& simulation = {});

}  // namespace lq::testing
