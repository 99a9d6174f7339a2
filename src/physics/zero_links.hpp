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
  void add(const ZeroLinks& others) noexcept {
    all += others.all;
    leaving_last_slice += others.leaving_last_slice;
  }
};

// Collective. Of a gauge field in memory, resolved, with a link for each dimension, by so many threads of
// this rank; 0: as many as it has cores to itself.
ZeroLinks count_zero_links(const Grid& grid, const Field& field, int threads);

}  // namespace lq::physics
