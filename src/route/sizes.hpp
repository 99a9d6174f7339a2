// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes of an exchange: how large chunks and domains are, how many ranks form a group, how many of them own.
#pragma once

#include <cstdint>
#include <optional>

#include <limequat/options.hpp>

#include "route/geometry.hpp"
#include "route/shares.hpp"

namespace lq::route {

struct ChunkSizes {
  std::uint64_t alignment = 0;  // domains begin at multiples of it
  std::uint64_t chunk_bytes = 0;
  std::uint64_t domain_bytes = 0;  // a multiple of both
};

// nullopt: no chunk of this alignment fits into the memory that the options grant. `block_bytes` of the file system.
// invalid_argument: an alignment beyond all file systems.
std::optional<ChunkSizes> chunk_sizes(std::uint64_t site_bytes, const RouteOptions& options, std::uint64_t block_bytes);

// The fastest dimensions whose ranks should share: no more than are needed for long pieces, and for no more groups
// than there may be aggregators.
int shared_dimensions(const Geometry& geometry, const RouteOptions& options);

// Owners of each group; 0: all.
std::uint64_t owners_of_group(const Geometry& geometry, int shared, const RouteOptions& options);

}  // namespace lq::route
