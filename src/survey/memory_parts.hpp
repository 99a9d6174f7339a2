// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What one core does with bytes in memory: copying, checksums, byte order, packing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/comm.hpp"
#include "survey/rounds.hpp"

namespace lq::survey {

// Collective. Arrays of at most `bytes` on each rank; they live as long as the measurements.
std::vector<Measurement> memory_parts(comm::Comm& comm, std::uint64_t bytes);

}  // namespace lq::survey
