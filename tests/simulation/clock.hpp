// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The clocks and random numbers of the system, as they are for the threads of this program: drawn from a seed, from the
// first start() on. Time passes by being asked for, and when it is told to; it may jump.
#pragma once

#include <cstdint>

namespace lq::simulation {

void start_clock(std::uint64_t seed);

}  // namespace lq::simulation
