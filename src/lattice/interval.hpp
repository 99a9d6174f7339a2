// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A run of consecutive sites of an ordered box as a few boxes.
#pragma once

#include <cstdint>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq::lattice {

// Disjoint boxes that together are the sites number first .. end-1 of `box` in the given (resolved) order: at most
// 2 d - 1 of them in d dimensions. `end` is not beyond the box's volume.
std::vector<Box> boxes_of_interval(std::uint64_t first, std::uint64_t end, const Box& box, const SiteOrder& order);

}  // namespace lq::lattice
