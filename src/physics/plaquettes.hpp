// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The average of Re Tr U_P / N, with U_P = U_mu(x) U_nu(x+mu) U_mu(x+nu)^dagger U_nu(x)^dagger.
#pragma once

#include <limequat/grid.hpp>
#include <limequat/physics.hpp>

#include "comm/team.hpp"
#include "physics/examine_links.hpp"
#include "physics/lattice_sum.hpp"
#include "physics/links.hpp"

namespace lq::physics {

// Of the sums over all plaquettes between spatial directions, and over the others.
Plaquette averages(const LatticeSum& spatial, const LatticeSum& temporal, const Extents& extents);

// Collective. Refreshes the copies of `links` first.
Plaquette average_plaquette(const Grid& grid, int colors, Links& links, comm::Team& team);

// Collective. Over some sites, spread over the lattice; `links` are as average_plaquette() left them.
TransposedSample sample_transposed(const Grid& grid, int colors, const Links& links);

}  // namespace lq::physics
