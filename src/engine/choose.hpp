// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a strategy and of its sizes, from facts alone: nothing is measured or asked here. Rank 0 makes it, the
// others are told: they may see another file system, or another profile.
#pragma once

#include <cstdint>
#include <string>

#include <limequat/machine.hpp>
#include <limequat/options.hpp>

#include "engine/shares.hpp"
#include "storage/client_writes.hpp"

namespace lq::engine {

// What the choice depends on beyond geometry and machine; the same on all ranks.
struct TransferContext {
  bool is_known = false;             // what follows; else geometry alone decides
  std::uint64_t ranks_per_node = 1;  // of the fullest node
  bool is_one_node = true;           // there is no other
  bool can_share = false;            // ranks of a node have memory in common
  bool can_pull = false;             // ranks of a node may read each other's memory
  bool is_in_memory = true;          // every rank's sites lie in its memory, not behind a function
  std::uint64_t block_bytes = 4096;  // of the file system: page, block or stripe
  bool lies_on_servers = false;      // a call waits for one
  std::uint64_t targets = 0;         // that the bytes of the file lie on; 0: not known, or no matter
  bool needs_single_owner = false;   // two clients that write into one block lose data
  bool is_one_client = true;         // all ranks reach the file through one mount of one node
  storage::ClientWrites client_writes = storage::ClientWrites::at_once;  // by those who do
  bool reads_in_order = false;  // clients fetch ahead for who reads one piece after the other
  bool checksum = true;
  bool has_whole_tiles = true;  // of an encoded payload: each tile's sites are all on one rank
};

// A call of the direct strategy moves at most so much where nobody asks for another size: what stays in cache while it
// is packed, and more where each call of writing waits for a server (measured on GlusterFS: 1.2 times the rate).
constexpr std::uint64_t block_of_direct(bool writes_to_servers) noexcept {
  return writes_to_servers ? std::uint64_t{4} << 20 : std::uint64_t{512} << 10;
}

struct Choice {
  Strategy strategy = Strategy::direct;                // never automatic
  ShareOptions shares;                                 // not with direct
  std::uint64_t memory_bytes = 0;                      // that an exchange holds at most, beyond the field
  std::string reason;                                  // a sentence
  std::uint64_t block_bytes = block_of_direct(false);  // with direct
};

// unsupported: the strategy that was asked for is not possible here, or none is; invalid_argument: impossible sizes.
Choice choose(const Transfer& transfer, const TransferContext& context, const RouteOptions& options,
              const Machine& machine);

}  // namespace lq::engine
