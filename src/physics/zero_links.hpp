// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Links all of whose numbers are 0: open boundaries have them, and damage.
#pragma once

#include <cstdint>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

namespace lq::physics {

struct ZeroLinks {
  std::uint64_t all = 0;
  std::uint64_t leaving_last_slice = 0;  // in the last direction, from the last slice on
};

// Collective. Of a gauge field in memory, resolved, with a link for each dimension.
ZeroLinks count_zero_links(const Grid& grid, const Field& field);

}  // namespace lq::physics
