// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field description checked against a grid: the contents of a site once the lattice is known, and whether this rank's
// memory can hold its sites.
#pragma once

#include <cstddef>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

namespace lq::lattice {

// Local. Fills in links and numbers that depend on the lattice; invalid_argument if they contradict each other.
FieldSpec resolve_spec(FieldSpec spec, int dimensions);

// Local. The field with its spec resolved; invalid_argument if it has neither memory nor function, or memory for fewer
// numbers than the rank's sites need, or an order that is not a permutation of the dimensions.
Field resolve_field(const Grid& grid, const Field& field);
MutableField resolve_field(const Grid& grid, const MutableField& field);

// Local. Copies the sites of this rank, contiguous with x fastest, from the user's order or function; and back. The
// field is resolved; `sites` has its site_bytes() for each of the local sites.
void take_sites(const Grid& grid, const Field& field, std::byte* sites);
void give_sites(const Grid& grid, const std::byte* sites, const MutableField& field);

}  // namespace lq::lattice
