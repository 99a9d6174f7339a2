// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cost model (docs/design/0009): how long a transfer takes, from closed forms of what its busiest rank, node and
// file system have to do. It takes no longer for a million ranks than for two.
#pragma once

#include <limequat/machine.hpp>
#include <limequat/plan.hpp>

#include "engine/choose.hpp"
#include "engine/geometry.hpp"

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

}  // namespace lq::engine
