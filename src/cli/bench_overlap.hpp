// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench overlap: what a background write costs a program that computes.
#pragma once

#include <string>

#include "cli/bench_lattice.hpp"

namespace lq::cli {

// Collective. In every round: the compute loop alone, the write alone, both together, and the raw write of the same
// bytes. The loop takes as long as the write, and works once in cache and once in memory.
int bench_overlap(Session& session, const BenchLattice& what);

}  // namespace lq::cli
