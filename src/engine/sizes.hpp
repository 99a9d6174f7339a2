// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes of an exchange: how large chunks and domains are, how many ranks form a group, how many of them own.
#pragma once

#include <cstdint>
#include <optional>

#include <limequat/machine.hpp>
#include <limequat/options.hpp>

#include "engine/choose.hpp"
#include "engine/geometry.hpp"
#include "engine/shares.hpp"

namespace lq::engine {

struct ChunkSizes {
  std::uint64_t alignment = 0;  // domains begin at multiples of it
  std::uint64_t chunk_bytes = 0;
  std::uint64_t domain_bytes = 0;  // a multiple of both
};

// nullopt: no chunk of this alignment fits into the memory that the options grant. Where blocks need a single owner the
// alignment is a multiple of the block, whatever the options ask for. invalid_argument: an alignment beyond all file
// systems.
std::optional<ChunkSizes> chunk_sizes(std::uint64_t site_bytes, const RouteOptions& options,
                                      const TransferContext& context);
// The same for a transfer. A layer of encoded tiles is a chunk and a domain: whoever owns it has all their sites at
// once. What is read need not be, then several ranks decode a tile.
std::optional<ChunkSizes> chunk_sizes(const Transfer& transfer, const RouteOptions& options,
                                      const TransferContext& context);

// Whether chunks are layers of encoded tiles, for which there is memory.
bool has_whole_layers(const Transfer& transfer, const RouteOptions& options);

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
