// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the sites of all nodes are the boxes of a process grid.
#pragma once

#include <optional>

#include <limequat/grid.hpp>

#include "compat/qio/node_sites.hpp"

namespace lq::compat::qio {

// Collective. The grid in which each node has its own sites, whichever way they are numbered in it; nothing where these
// are no boxes of the same extents, each in one place of the grid. `nodes` outlives it.
std::optional<Grid> grid_of_boxes(comm::Comm& nodes, const Extents& extents, const NodeSites& mine);

}  // namespace lq::compat::qio
