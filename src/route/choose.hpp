// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a strategy and of its sizes. Every rank makes it by itself from the same facts, so that all come to
// the same: nothing is measured or asked here.
#pragma once

#include <cstdint>
#include <string>

#include <limequat/machine.hpp>
#include <limequat/options.hpp>

#include "route/shares.hpp"

namespace lq::route {

// What the choice depends on beyond geometry and machine; the same on all ranks.
struct Situation {
  bool is_known = false;             // what follows; else geometry alone decides
  std::uint64_t ranks_per_node = 1;  // of the fullest node
  bool is_one_node = true;           // there is no other
  bool can_share = false;            // ranks of a node have memory in common
  bool can_pull = false;             // ranks of a node may read each other's memory
  bool is_in_memory = true;          // every rank's sites lie in its memory, not behind a function
  std::uint64_t block_bytes = 4096;  // of the file system: page, block or stripe
  bool needs_single_owner = false;   // two nodes that write into one block lose data
  bool checksum = true;
};

struct Choice {
  Strategy strategy = Strategy::direct;  // never automatic
  ShareOptions shares;                   // not with direct
  std::uint64_t memory_bytes = 0;        // that an exchange holds at most, beyond the field
  std::string reason;                    // a sentence
};

// Buffers of a chunk that an exchange holds at most: assembled, arriving and leaving.
inline constexpr std::uint64_t chunks_in_memory = 10;

// unsupported: the strategy that was asked for is not possible here; invalid_argument: impossible sizes.
Choice choose(const Transfer& transfer, const Situation& situation, const RouteOptions& options,
              const Machine& machine);

}  // namespace lq::route
