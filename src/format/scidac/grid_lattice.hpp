// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The lattice of a field that Grid wrote: its files of fields have no scidac-private-file-xml, or one of another field;
// a record grid-format tells the extents of the whole lattice (formats/scidac.md 6.3).
#pragma once

#include <cstdint>
#include <string_view>

#include <limequat/lattice.hpp>

#include "format/scidac/private_xml.hpp"

namespace lq::format::scidac {

// Throws Error(malformed) that says what is missing or wrong; the caller adds the place.
Extents decode_grid_lattice(std::string_view document);

struct GridLattice {
  Extents extents;
  bool is_of_one_parity = false;  // half the extent in x
};
// What fits a record of the given number of bytes: all sites, or those of one parity.
GridLattice stored_lattice(const Extents& whole, const RecordInfo& info, std::uint64_t bytes);

// Of fields in five dimensions the first one is the fifth.
int x_of(const Extents& extents) noexcept;

}  // namespace lq::format::scidac
