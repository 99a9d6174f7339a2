// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of a rank's sites that take turns in a transfer, because their memory has cache lines in common.
#pragma once

#include <cstdint>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/memory.hpp>

#include "lattice/rows.hpp"

namespace lq::pump {

// The rows of a plan; or those of each lane of vectors, whose sites are far apart in the file, where these are long
// there: `max_sites` is what a block holds.
std::vector<lattice::Rows> rows_in_turn(const MemoryLayout& memory, const Payload& payload,
                                        const lattice::RowPlan& plan, std::uint64_t max_sites);

}  // namespace lq::pump
