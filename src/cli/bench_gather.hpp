// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank does it all, as many codes do: rank 0 collects time slice by time slice and writes alone, and deals out what
// it alone has read. Plain doubles without checksum. What parallel writing is measured against since the Lemon paper
// (arXiv:1106.0177, section 4).
#pragma once

#include <memory>

#include "cli/bench_rounds.hpp"

namespace lq::cli {

// Collective. The ranks of the grid are those of MPI_COMM_WORLD.
std::unique_ptr<Mover> make_gather(const Grid& grid);

}  // namespace lq::cli
