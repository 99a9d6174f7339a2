// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Traces of closed loops of links: rectangular Wilson loops, and Polyakov loops around the lattice in time.
#pragma once

#include <complex>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/physics.hpp>

#include "comm/team.hpp"
#include "physics/links.hpp"

namespace lq::physics {

// Collective. 1x1, 1x2, 2x1, 2x2; with open boundaries the averages over loops that do not leave the last time slice.
// The copies in `links` (Reach::loops) are up to date.
std::vector<WilsonLoop> wilson_loops(const Grid& grid, int colors, const Links& links, bool open_boundary,
                                     comm::Team& team);

// Collective. The average over space of Tr / N of the product of the links of the last dimension, in their order.
std::complex<double> polyakov_loop(const Grid& grid, int colors, Links& links);

}  // namespace lq::physics
