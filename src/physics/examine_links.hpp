// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All that can be asked of a gauge field whose file may be wrong, from one pass: what lq::measure() tells, links that
// are zero, and whether rows and columns are exchanged.
#pragma once

#include <cstdint>

#include <limequat/grid.hpp>
#include <limequat/physics.hpp>

#include "physics/zero_links.hpp"

namespace lq::physics {

// Plaquettes of some sites, the same on any process grid. With rows and columns exchanged, four links around a
// plaquette are no closed loop, so that these products average to less than the plaquette.
struct TransposedSample {
  std::uint64_t plaquettes = 0;
  double excess = 0;  // average of the product of transposed links minus that of the links as they are
  double error = 0;   // of this average

  // The links look right only with rows and columns exchanged.
  bool is_transposed() const noexcept;
};

struct ExaminedLinks {
  Physics physics;
  ZeroLinks zeros;
  TransposedSample transposed;

  // The links are in the group, but those around plaquettes know nothing of each other: noise, or links in another
  // order than the file says.
  bool is_noise(const Extents& extents, int colors) const noexcept;
};

// Collective. As lq::measure().
ExaminedLinks examine_links(const Grid& grid, const Field& field, int threads = 0);

}  // namespace lq::physics
