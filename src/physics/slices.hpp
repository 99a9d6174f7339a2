// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquette and link trace of a gauge field that passes by slice after slice of its slowest dimension. The sums are
// exact, so that they are those of the field in memory (plaquettes.hpp) to the last bit.
#pragma once

#include <cstdint>
#include <span>

#include <limequat/lattice.hpp>
#include <limequat/physics.hpp>

#include "comm/comm.hpp"
#include "physics/lattice_sum.hpp"

namespace lq::physics {

class SliceSums {
 public:
  // Of two dimensions or more, with one link for each.
  SliceSums(const Extents& extents, int colors) : extents_(extents), colors_(colors) {}

  // Local. All links of a slice in natural order, and those of the slice behind it.
  void add(std::span<const double> slice, std::span<const double> behind);
  // Local. Those of other slices.
  void add(const SliceSums& others);
  // Collective. Over all ranks, each of which added slices of its own.
  void reduce(comm::Comm& comm);

  Plaquette plaquette() const;
  double link_trace() const;

 private:
  template <class Colors>
  void add_slice(Colors colors, const double* slice, const double* behind);

  Extents extents_;
  int colors_;
  LatticeSum spatial_, temporal_, traces_;
};

}  // namespace lq::physics
