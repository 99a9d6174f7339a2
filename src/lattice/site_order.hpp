// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of sites: the position of a coordinate in a box whose dimensions run in a given order.
#pragma once

#include <cstdint>

#include <limequat/lattice.hpp>

#include "base/inner.hpp"

namespace lq::lattice {

// The order with empty replaced by 0, 1, 2, ...; invalid_argument if it is not a permutation of `dimensions`.
LQ_INNER SiteOrder resolve_order(const SiteOrder& order, int dimensions);

// Dimensions in the order in which they first occur in two resolved orders of the same length: boxes that are long in
// the first ones have long rows in both.
SiteOrder interleaved(const SiteOrder& a, const SiteOrder& b);

// Position of x (relative to the box's lower corner) in the box; `order` resolved.
std::uint64_t site_number(const Coord& x, const Box& box, const SiteOrder& order) noexcept;
// The reverse: global coordinates.
Coord site_at(std::uint64_t number, const Box& box, const SiteOrder& order) noexcept;

// The rank of the SciDAC checksum: lexicographic in the whole lattice, x fastest.
std::uint64_t site_rank(const Coord& x, const Extents& extents) noexcept;
Coord site_of_rank(std::uint64_t rank, const Extents& extents) noexcept;

// Moves x to the next site of the box in the given order; false after the last one (x is then the first).
bool advance(Coord& x, const Box& box, const SiteOrder& order) noexcept;

}  // namespace lq::lattice
