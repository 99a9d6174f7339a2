// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a strategy and its sizes, from facts alone, without measurements or queries. Rank 0 makes it and
// broadcasts it, because other ranks may see another file system or another profile.
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
  bool is_known = false;             // the following members are set; else geometry alone decides
  std::uint64_t ranks_per_node = 1;  // on the fullest node
  bool is_one_node = true;           // all ranks are on one node
  bool can_share = false;            // ranks of a node can share memory
  bool can_pull = false;             // ranks of a node may read each other's memory
  bool is_in_memory = true;          // the sites of every rank are in memory, not behind a function
  std::uint64_t block_bytes = 4096;  // of the file system: page, block or stripe
  bool lies_on_servers = false;      // a call waits for one
  std::uint64_t targets = 0;         // number that stores the file; 0: unknown, or irrelevant
  bool needs_single_owner = false;   // two clients that write into one block lose data
  bool is_one_client = true;         // all ranks reach the file through one mount of one node
  storage::ClientWrites client_writes = storage::ClientWrites::at_once;  // behaviour of several writers
  bool reads_in_order = false;                                           // clients prefetch sequential reads
  std::uint64_t call_bytes = 0;  // call size with which the servers are fast; 0: any
  bool checksum = true;
  bool has_whole_tiles = true;  // for encoded payloads: each tile's sites are all on one rank
};

// Default size of a call of the direct strategy: what stays in cache while it is packed; more if each write call waits
// for a server (measured on GlusterFS: 1.2 times the rate), or if the servers are fast only with larger calls.
constexpr std::uint64_t block_of_direct(bool writes_to_servers, std::uint64_t call_bytes = 0) noexcept {
  if (call_bytes > 0) return call_bytes;
  return writes_to_servers ? std::uint64_t{4} << 20 : std::uint64_t{512} << 10;
}

// Default memory of a rank beyond the field: ten chunks of the usual size, or of the preferred call size of servers.
inline constexpr std::uint64_t usual_memory = std::uint64_t{16} << 20;
constexpr std::uint64_t granted_memory(std::uint64_t asked, std::uint64_t call_bytes) noexcept {
  if (asked > 0) return asked;
  return call_bytes > 0 ? 4 * usual_memory : usual_memory;
}

struct Choice {
  Strategy strategy = Strategy::direct;                // never automatic
  ShareOptions shares;                                 // not with direct
  std::uint64_t memory_bytes = 0;                      // maximum for an exchange, beyond the field
  std::string reason;                                  // a sentence
  std::string chunk_reason = {};                       // ChunkSizes::reason
  std::uint64_t block_bytes = block_of_direct(false);  // with direct
};

// unsupported: the requested strategy is not possible here, or none is; invalid_argument: impossible sizes.
Choice choose(const Transfer& transfer, const TransferContext& context, const RouteOptions& options,
              const Machine& machine);

// Sizes that follow from the distribution and the storage of a lattice: contiguous bytes, for one rank and for a group
// of ranks that differ in the fastest file dimensions only.

// A count as a floating-point number.
inline double real(std::uint64_t value) { return static_cast<double>(value); }

class Geometry {
 public:
  // `transfer` must outlive it.
  explicit Geometry(const Transfer& transfer);

  int dimensions() const noexcept { return static_cast<int>(order_.size()); }
  const SiteOrder& order() const noexcept { return order_; }         // of the file, resolved
  std::uint64_t bytes() const noexcept { return bytes_; }            // moved in total
  std::uint64_t ranks() const noexcept { return groups(0); }         // that hold sites
  std::uint64_t rank_bytes() const noexcept { return rank_bytes_; }  // on the rank with the most

  // Groups of ranks that differ in the `shared` fastest dimensions: their number, the maximum number of ranks in one,
  // their largest contiguous piece of the file, and the bytes of the largest. shared = 0: every rank is a group.
  std::uint64_t groups(int shared) const noexcept;
  std::uint64_t members(int shared) const noexcept;
  std::uint64_t piece_bytes(int shared) const noexcept;
  std::uint64_t group_bytes(int shared) const noexcept;
  std::uint64_t row_bytes() const noexcept { return piece_bytes(0); }

  // Ranks of the group of `rank` that run on the same node, if nodes are filled with consecutive ranks.
  std::uint64_t members_on_node(int shared, int rank, std::uint64_t ranks_per_node) const;
  // True if every group is on a single node. May return false if that is so by chance.
  bool groups_stay_on_nodes(int shared, std::uint64_t ranks_per_node) const;

 private:
  // The places of the process grid that hold sites and differ from `place` only in the shared dimensions.
  Box places_of_group(int shared, Coord place) const;
  // The same, one by one, if the decomposition lists its ranks: members of the group of `place` with numbers from
  // `begin` to before `end`.
  std::uint64_t listed_members_between(std::uint64_t begin, std::uint64_t end, int shared, const Coord& place) const;
  bool listed_groups_stay_on_nodes(int shared, std::uint64_t ranks_per_node) const;
  std::uint64_t places(int k) const noexcept;  // ranks along the file's dimension number k that hold sites

  const Transfer& transfer_;
  SiteOrder order_;
  std::uint64_t bytes_ = 0;
  std::uint64_t rank_bytes_ = 0;
};

// Sizes of an exchange: sizes of chunks and domains, and the numbers of ranks and of owners in a group.
struct ChunkSizes {
  std::uint64_t alignment = 0;  // domains begin at multiples of it
  std::uint64_t chunk_bytes = 0;
  std::uint64_t domain_bytes = 0;  // a multiple of both
  std::string reason = {};         // reason for the chunk size, if it is not the usual one
};

// nullopt: no chunk of this alignment fits into the memory that the options grant. If blocks need a single owner, the
// alignment is a multiple of the block, whatever the options request. invalid_argument: an alignment that no file
// system has.
//
// A layer of encoded tiles is a chunk and a domain: its owner has all sites of the layer at once. In reading this is
// not required; several ranks may then decode the same tile.
// be, then several ranks decode a tile.
std::optional<ChunkSizes> chunk_sizes(const Transfer& transfer, const RouteOptions& options,
                                      const TransferContext& context);

// True if chunks are layers of encoded tiles, and memory is sufficient for them.
bool has_whole_layers(const Transfer& transfer, const RouteOptions& options, const TransferContext& context);

// Maximum memory of a rank.
std::uint64_t memory_of_exchange(std::uint64_t chunk_bytes, std::uint64_t site_bytes);

// Rank 0 writes what is before and after the sites.
constexpr bool root_owns_edges(bool needs_single_owner, bool writing) { return needs_single_owner && writing; }

// Default number of ranks that write a file on the given number of targets: for each target twice as many as keep it
// busy, but at least four, whatever the number of nodes. 0: all that may.
std::uint64_t writers_for_targets(std::uint64_t targets, std::uint64_t ranks, const Machine& machine);

// The number of fastest dimensions whose ranks should share: no more than needed for long pieces and for at most as
// many groups as there may be aggregators.
int shared_dimensions(const Geometry& geometry, const RouteOptions& options);

// Owners of each group; 0: all.
std::uint64_t owners_of_group(const Geometry& geometry, int shared, const RouteOptions& options);

}  // namespace lq::engine
