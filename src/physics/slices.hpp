// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquette and link trace of a gauge field that passes by slice after slice of the slowest dimension of its memory,
// and each slice plane after plane of the dimension before that. The sums are exact, so that they are those of the
// field in memory (plaquettes.hpp) to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/lattice.hpp>
#include <limequat/physics.hpp>

#include "comm/comm.hpp"
#include "physics/lattice_sum.hpp"

namespace lq::physics {

class SliceSums {
 public:
  // Of two dimensions or more, with one link for each. `order`: of the sites in memory, fastest dimension first;
  // resolved.
  SliceSums(const Extents& extents, int colors, const SiteOrder& order);

  // Planes of a slice: one in two dimensions.
  std::size_t planes() const noexcept { return planes_; }
  std::size_t plane_sites() const noexcept { return row_sites_ * rows_; }
  std::size_t plane_numbers() const noexcept { return plane_sites() * site_numbers_; }

  // Local. All links of a plane, those of the next plane of its slice, with the first one behind the last, and those of
  // the same plane of the slice behind. All planes of a slice in their order, before those of another slice.
  void add(Precision precision, const void* plane, const void* next, const void* behind);
  // Local. All planes of a slice, and of the slice behind.
  void add(std::span<const double> slice, std::span<const double> behind);
  // Local. Those of other slices.
  void add(const SliceSums& others);
  // Collective. Over all ranks, each of which added slices of its own.
  void reduce(comm::Comm& comm);

  Plaquette plaquette() const;
  double link_trace() const;

 private:
  std::size_t row_above(std::size_t row, std::size_t place) const noexcept;
  void add_row(std::size_t row);

  Extents extents_;
  int colors_;
  SiteOrder order_;
  std::size_t row_sites_, rows_ = 1, planes_ = 1, link_numbers_, site_numbers_, row_numbers_;
  std::vector<double> plane_, next_;  // their rows, number by number
  std::vector<double> behind_;        // a row of it
  std::size_t planes_done_ = 0;       // of the slice
  std::vector<double> traces_of_row_;
  LatticeSum spatial_, temporal_, traces_;
};

}  // namespace lq::physics
