// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank does it all, as many codes do: rank 0 collects time slice by time slice and writes alone, and deals out what
// it alone has read. Plain doubles without checksum. What parallel writing is measured against since the Lemon paper
// (arXiv:1106.0177, section 4).
#pragma once

#include <memory>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "cli/bench_rounds.hpp"

namespace lq::cli {

// Collective over `comm`, whose ranks are those of the grid.
std::unique_ptr<Mover> make_gather(const Grid& grid, MPI_Comm comm);

}  // namespace lq::cli
