// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks of a set with local coherence (formats/modes.md 6), dealt out over ranks as sites of a lattice of their
// own, so that the coefficients of a mode are a field.
#pragma once

#include <vector>

#include <limequat/modes.hpp>

namespace lq::modes {

// Collective. By the process grid of the sites where that divides the blocks: no site leaves its rank then.
Grid grid_of_blocks(const Grid& grid, const Description& description);
// The sites of a box, x fastest.
std::vector<Coord> list_of(const Box& box);

}  // namespace lq::modes
