// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of a rank's sites that take turns in a transfer, and are moved at once where they can, because their memory has
// cache lines in common; or come one after the other, because their tiles do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/memory.hpp>

#include "lattice/blocks.hpp"
#include "lattice/rows.hpp"

namespace lq::engine {

// The rows of a plan; or those of each lane of vectors, whose sites are far apart in the file, where these are long
// there: `max_sites` is what a block holds.
std::vector<lattice::Rows> rows_by_lane(const MemoryLayout& memory, const Payload& payload,
                                        const lattice::RowPlan& plan, std::uint64_t max_sites);

// The blocks of the lattice along which sites should go: where tiles are encoded, and those of a layer, in which rows
// begin and end, are more than are kept when they are decoded or filled.
std::optional<lattice::Blocks> block_order(const Payload& payload, const Box& wanted);
// Whether the given number of threads cannot have a block each.
bool are_large_blocks(const Payload& payload, int threads) noexcept;

}  // namespace lq::engine
