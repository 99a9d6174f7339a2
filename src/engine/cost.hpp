// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cost of a transfer: the cost model, the counts that it is tested against, and a comparison of all strategies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <limequat/machine.hpp>
#include <limequat/plan.hpp>

#include "engine/choose.hpp"

namespace lq::engine {

// Expected work of the busiest rank.
struct Work {
  double packed = 0;         // bytes of its sites
  double stored = 0;         // bytes that it moves to or from the file
  double calls = 0;          // for that
  double shared_blocks = 0;  // blocks of the file system that other ranks also write
  double near_bytes = 0;     // exchanged with ranks of its node, one way
  double far_bytes = 0;      // exchanged with ranks of other nodes, one way
  double near_messages = 0;  // messages or notifications
  double far_messages = 0;
  double writers = 0;  // ranks that touch the file
};

Work expected_work(const Transfer& transfer, const Geometry& geometry, const Choice& choice,
                   const TransferContext& context);

// Excludes opening, syncing and renaming.
Prediction predict(const Work& work, const Transfer& transfer, const Geometry& geometry, Strategy strategy,
                   const TransferContext& context, const Machine& machine);

// Expected number of chunks of the file in which one rank holds sites, wherever the first chunk begins.
double expected_chunks(const Transfer& transfer, const Geometry& geometry, std::uint64_t chunk_bytes);

// The work of ranks in a transfer, counted by iterating over their shares: for plans, and to test the closed forms of
// the cost model.
struct Counts {
  std::uint64_t stored = 0;           // bytes to or from the file
  std::uint64_t calls = 0;            // for that
  std::uint64_t messages = 0;         // messages with this rank's sites for chunks of others (reading: from them)
  std::uint64_t bytes_exchanged = 0;  // in those
  std::uint64_t arrivals = 0;         // messages from others for chunks of this rank (reading: to them)
  bool is_exact = true;               // false: extrapolated from a part
};

// The work of one rank. `most_chunks`: beyond this number the count stops, and the rest is extrapolated.
Counts count_work(const Transfer& transfer, const Choice& choice, int rank, std::uint64_t most_chunks);

// The maximum of each count over a few ranks: those at the corners and in the middle of groups and of the grid.
Counts count_busiest(const Transfer& transfer, const Geometry& geometry, const Choice& choice,
                     std::uint64_t most_chunks);

// One strategy: whether it is possible, its sizes and its cost.
struct Candidate {
  Choice choice;
  std::string obstacle;  // why it is not possible, with the remedy; empty if possible
  Work work;
  Prediction seconds;

  bool is_possible() const noexcept { return obstacle.empty(); }
};

// Direct, shared, pull, messages. For those that are not possible, work and seconds are empty.
std::vector<Candidate> candidates(const Transfer& transfer, const Geometry& geometry, const TransferContext& context,
                                  const RouteOptions& options, const Machine& machine);

// The candidate selected by the rules of docs/design/0009; or, unless that is direct, another one that is predicted to
// be clearly faster. It is possible. unsupported: none is.
const Candidate& best_of(const std::vector<Candidate>& all, const Transfer& transfer, const Geometry& geometry,
                         const TransferContext& context, const RouteOptions& options, const Machine& machine,
                         std::string& reason);

}  // namespace lq::engine
