// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a transfer costs: the cost model, the counts that it is tested against, and all strategies side by side.
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
  double shared_blocks = 0;  // blocks of the file system that it writes and others write, too
  double near_bytes = 0;     // exchanged with ranks of its node, one way
  double far_bytes = 0;      // exchanged with ranks of other nodes, one way
  double near_messages = 0;  // parcels or handovers
  double far_messages = 0;
  double writers = 0;  // ranks that touch the file
};

Work expected_work(const Transfer& transfer, const Geometry& geometry, const Choice& choice,
                   const TransferContext& context);

// Without opening, syncing and renaming.
Prediction predict(const Work& work, const Transfer& transfer, const Geometry& geometry, Strategy strategy,
                   const TransferContext& context, const Machine& machine);

// Chunks of the file in which one rank holds sites, as many as to be expected wherever the first chunk begins.
double expected_chunks(const Transfer& transfer, const Geometry& geometry, std::uint64_t chunk_bytes);

// What ranks of a transfer do, counted by walking through their shares: for plans, and as the truth that the cost
// model's closed forms are tested against.
struct Counts {
  std::uint64_t stored = 0;           // bytes to or from the file
  std::uint64_t calls = 0;            // for that
  std::uint64_t messages = 0;         // parcels of this rank's sites for chunks of others, or from them when reading
  std::uint64_t bytes_exchanged = 0;  // in those
  std::uint64_t arrivals = 0;         // parcels of others for chunks of this rank, or for them
  bool is_exact = true;               // false: continued from a walk through a part
};

// Of one rank. `most_chunks`: where there are more the walk ends, and what is left is taken to be alike.
Counts count_work(const Transfer& transfer, const Choice& choice, int rank, std::uint64_t most_chunks);

// Number by number the most that a few ranks do: those at the corners and in the middle of groups and of the grid.
Counts count_busiest(const Transfer& transfer, const Geometry& geometry, const Choice& choice,
                     std::uint64_t most_chunks);

// All strategies side by side: whether each is possible, with which sizes, at which cost.
struct Candidate {
  Choice choice;
  std::string obstacle;  // why it is not possible, with the remedy; empty: it is
  Work work;
  Prediction seconds;

  bool is_possible() const noexcept { return obstacle.empty(); }
};

// Direct, shared, pull, messages. Those that are not possible have no work and no seconds.
std::vector<Candidate> candidates(const Transfer& transfer, const Geometry& geometry, const TransferContext& context,
                                  const RouteOptions& options, const Machine& machine);

// The one that the rules of docs/design/0009 take; or, unless that is direct, another that is predicted to be clearly
// faster. It is possible. unsupported: none is.
const Candidate& best_of(const std::vector<Candidate>& all, const Transfer& transfer, const Geometry& geometry,
                         const TransferContext& context, const RouteOptions& options, const Machine& machine,
                         std::string& reason);

}  // namespace lq::engine
