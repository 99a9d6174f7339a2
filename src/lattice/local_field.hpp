// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field description held against a grid: what one site holds once the lattice is known, and whether this
// rank's memory can hold its sites.
#pragma once

#include <cstddef>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

namespace lq::lattice {

// Local. Fills in links and numbers that depend on the lattice; invalid_argument when they contradict each other.
FieldSpec resolve_spec(FieldSpec spec, int dimensions);

// Local. The field with its spec resolved; invalid_argument when it has neither memory nor function, or memory
// for fewer numbers than the rank's sites need, or an order that is no permutation of the dimensions.
Field resolve_field(const Grid& grid, const Field& field);
MutableField resolve_field(const Grid& grid, const MutableField& field);

// Local. The sites of this rank one after the other, x fastest, in whatever order or by whichever function the user has
// them; and back. The field is resolved; `sites` has its site_bytes() for each of the local sites.
void take_sites(const Grid& grid, const Field& field, std::byte* sites);
void give_sites(const Grid& grid, const std::byte* sites, const MutableField& field);

}  // namespace lq::lattice
