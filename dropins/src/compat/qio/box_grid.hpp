// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the sites of all nodes are the boxes of a process grid.
#pragma once

#include <optional>

#include <limequat/grid.hpp>

#include "compat/qio/node_sites.hpp"

namespace lq::compat::qio {

// Sites that are a box of the lattice, in which each node has a box of its own, or nothing. Dimensions of which every
// node has all are one with the next slower one: the numbers of sites stay, and rows are as long as they can be.
struct Boxes {
  Extents lattice;
  Box region;
  Box own;                   // of this node, where it has sites
  std::optional<Grid> grid;  // of the nodes that have sites; nothing on the others
};

// Collective. Those of all nodes, whichever way the sites are numbered in them; nothing where they are no boxes of the
// same extents, each in one place of a grid. `nodes` outlives it.
std::optional<Boxes> boxes_of(comm::Comm& nodes, const Extents& lattice, const NodeSites& mine);

}  // namespace lq::compat::qio
