// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What ranks of a transfer do, counted by walking through their shares: for plans, and as the truth that the cost
// model's closed forms are tested against.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/choose.hpp"
#include "engine/geometry.hpp"

namespace lq::engine {

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

}  // namespace lq::engine
