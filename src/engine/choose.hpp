// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a strategy and of its sizes, from facts alone: nothing is measured or asked here. Rank 0 makes it, the
// others are told: they may see another file system, or another profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <limequat/machine.hpp>
#include <limequat/options.hpp>

#include "engine/shares.hpp"
#include "storage/transport.hpp"

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
  bool reads_in_order = false;   // clients fetch ahead for who reads one piece after the other
  std::uint64_t call_bytes = 0;  // of a call that the servers are fast with; 0: any
  bool checksum = true;
  bool has_whole_tiles = true;  // of an encoded payload: each tile's sites are all on one rank
};

// A call of the direct strategy moves at most so much where nobody asks for another size: what stays in cache while it
// is packed, and more where each call of writing waits for a server (measured on GlusterFS: 1.2 times the rate), or
// where the servers are fast with larger calls only.
constexpr std::uint64_t block_of_direct(bool writes_to_servers, std::uint64_t call_bytes = 0) noexcept {
  if (call_bytes > 0) return call_bytes;
  return writes_to_servers ? std::uint64_t{4} << 20 : std::uint64_t{512} << 10;
}

// What a rank may hold beyond the field where nobody says: ten chunks of the usual size, or of a call that servers
// want.
inline constexpr std::uint64_t usual_memory = std::uint64_t{16} << 20;
constexpr std::uint64_t granted_memory(std::uint64_t asked, std::uint64_t call_bytes) noexcept {
  if (asked > 0) return asked;
  return call_bytes > 0 ? 4 * usual_memory : usual_memory;
}

struct Choice {
  Strategy strategy = Strategy::direct;                // never automatic
  ShareOptions shares;                                 // not with direct
  std::uint64_t memory_bytes = 0;                      // that an exchange holds at most, beyond the field
  std::string reason;                                  // a sentence
  std::string chunk_reason = {};                       // ChunkSizes::reason
  std::uint64_t block_bytes = block_of_direct(false);  // with direct
};

// unsupported: the strategy that was asked for is not possible here, or none is; invalid_argument: impossible sizes.
Choice choose(const Transfer& transfer, const TransferContext& context, const RouteOptions& options,
              const Machine& machine);

// Sizes that follow from how a lattice is dealt out and stored: what is contiguous, for one rank and for a group of
// ranks that differ in the fastest file dimensions only.

// A count to calculate with.
inline double real(std::uint64_t value) { return static_cast<double>(value); }

class Geometry {
 public:
  // `transfer` outlives it.
  explicit Geometry(const Transfer& transfer);

  int dimensions() const noexcept { return static_cast<int>(order_.size()); }
  const SiteOrder& order() const noexcept { return order_; }         // of the file, resolved
  std::uint64_t bytes() const noexcept { return bytes_; }            // that move
  std::uint64_t ranks() const noexcept { return groups(0); }         // that hold sites
  std::uint64_t rank_bytes() const noexcept { return rank_bytes_; }  // of the rank with the most

  // Groups of ranks that differ in the `shared` fastest dimensions: how many there are, how many ranks one has at
  // most, what its largest contiguous piece of the file is, and the bytes of the largest. 0: every rank is a group.
  std::uint64_t groups(int shared) const noexcept;
  std::uint64_t members(int shared) const noexcept;
  std::uint64_t piece_bytes(int shared) const noexcept;
  std::uint64_t group_bytes(int shared) const noexcept;
  std::uint64_t row_bytes() const noexcept { return piece_bytes(0); }

  // Ranks of the group of `rank` that run on the same node, where nodes are filled with consecutive ranks.
  std::uint64_t members_on_node(int shared, int rank, std::uint64_t ranks_per_node) const;
  // Returns true if that is all of them for every group. May return false if that is so by chance.
  bool groups_stay_on_nodes(int shared, std::uint64_t ranks_per_node) const;

 private:
  // The places of the process grid that hold sites and differ from `place` only in the shared dimensions.
  Box places_of_group(int shared, Coord place) const;
  // The same place by place, if the decomposition lists its ranks: members of the group of `place` with numbers from
  // `begin` to before `end`.
  std::uint64_t listed_members_between(std::uint64_t begin, std::uint64_t end, int shared, const Coord& place) const;
  bool listed_groups_stay_on_nodes(int shared, std::uint64_t ranks_per_node) const;
  std::uint64_t places(int k) const noexcept;  // ranks along the file's dimension number k that hold sites

  const Transfer& transfer_;
  SiteOrder order_;
  std::uint64_t bytes_ = 0;
  std::uint64_t rank_bytes_ = 0;
};

// Sizes of an exchange: how large chunks and domains are, how many ranks form a group, how many of them own.
struct ChunkSizes {
  std::uint64_t alignment = 0;  // domains begin at multiples of it
  std::uint64_t chunk_bytes = 0;
  std::uint64_t domain_bytes = 0;  // a multiple of both
  std::string reason = {};         // of the chunk's size, where it is not the usual one
};

// nullopt: no chunk of this alignment fits into the memory that the options grant. Where blocks need a single owner the
// alignment is a multiple of the block, whatever the options ask for. invalid_argument: an alignment beyond all file
// systems.
//
// A layer of encoded tiles is a chunk and a domain: whoever owns it has all their sites at once. What is read need not
// be, then several ranks decode a tile.
std::optional<ChunkSizes> chunk_sizes(const Transfer& transfer, const RouteOptions& options,
                                      const TransferContext& context);

// Whether chunks are layers of encoded tiles, for which there is memory.
bool has_whole_layers(const Transfer& transfer, const RouteOptions& options, const TransferContext& context);

// What a rank holds at most.
std::uint64_t memory_of_exchange(std::uint64_t chunk_bytes, std::uint64_t site_bytes);

// Rank 0 writes what is before and after the sites.
constexpr bool root_owns_edges(bool needs_single_owner, bool writing) { return needs_single_owner && writing; }

// How many ranks should write a file that lies on the given number of targets, where nobody asks for a number: twice
// those that keep a target busy, and four at least, as many for each, however many nodes there are. 0: all who may.
std::uint64_t writers_for_targets(std::uint64_t targets, std::uint64_t ranks, const Machine& machine);

// The fastest dimensions whose ranks should share: no more than are needed for long pieces, and for no more groups
// than there may be aggregators.
int shared_dimensions(const Geometry& geometry, const RouteOptions& options);

// Owners of each group; 0: all.
std::uint64_t owners_of_group(const Geometry& geometry, int shared, const RouteOptions& options);

}  // namespace lq::engine
