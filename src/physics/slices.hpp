// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquette and link trace of a gauge field that is traversed slice by slice in the slowest dimension of its memory,
// and each slice plane by plane in the dimension before that. The sums are exact, so that they equal those of the field
// in memory (plaquettes.hpp) to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/lattice.hpp>
#include <limequat/physics.hpp>

#include "comm/comm.hpp"
#include "kernels/plaquette_rows.hpp"
#include "physics/site_sums.hpp"

namespace lq::physics {

class SliceSums {
 public:
  // For two dimensions or more, with one link for each. `order`: order of the sites in memory, fastest dimension first;
  // resolved.
  SliceSums(const Extents& extents, int colors, const SiteOrder& order);

  // Planes of a slice: one in two dimensions.
  std::size_t planes() const noexcept { return planes_; }
  std::size_t plane_sites() const noexcept { return row_sites_ * rows_; }
  std::size_t plane_numbers() const noexcept { return plane_sites() * site_numbers_; }

  // Lines of a plane as rows, and the conversion of a plane with contiguous sites.
  std::size_t plane_lines(Precision precision) const noexcept {
    return rows_ * kernels::row_lines(precision, row_sites_, site_numbers_);
  }
  void to_rows(Precision precision, const void* plane, kernels::RowLine* rows) const noexcept;

  // Local. The rows of a plane, of the next plane of its slice (the first one after the last), and of the same plane of
  // the next slice.
  void add(Precision precision, const kernels::RowLine* plane, const kernels::RowLine* next,
           const kernels::RowLine* behind);
  // Local. Adds the sums of other slices.
  void add(const SliceSums& others);
  // Collective. Combines all ranks, each of which added different slices.
  void reduce(comm::Comm& comm);

  Plaquette plaquette() const;
  double link_trace() const;

 private:
  std::size_t row_above(std::size_t row, std::size_t place) const noexcept;
  LatticeSum& sum_of_term(std::size_t term) noexcept;
  void add_terms(std::size_t rows);
  void settle() noexcept;

  Extents extents_;
  SiteOrder order_;
  int colors_;
  std::size_t row_sites_, rows_ = 1, planes_ = 1, site_numbers_;
  std::size_t rows_at_once_;               // that have their terms side by side
  std::vector<double> terms_;              // of these
  std::vector<kernels::FineSum> of_rows_;  // by term, over some rows: adding to an exact sum takes longer
  std::size_t rows_in_sums_ = 0;           // number of these rows
  LatticeSum spatial_, temporal_, traces_;
};

}  // namespace lq::physics
