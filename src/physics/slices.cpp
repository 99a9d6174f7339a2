// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/slices.hpp"

#include "base/float_environment.hpp"
#include "physics/plaquettes.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {
namespace {

// Of each plane: many for one call that adds them up, few enough for the first cache level.
constexpr std::size_t terms_at_once = 128;

std::size_t bytes_of(Precision precision) { return precision == Precision::single ? sizeof(float) : sizeof(double); }

}  // namespace

SliceSums::SliceSums(const Extents& extents, int colors, const SiteOrder& order)
    : extents_(extents),
      order_(order),
      colors_(colors),
      row_sites_(static_cast<std::size_t>(extents[order.front()])),
      site_numbers_(matrix_numbers(colors) * order.size()),
      rows_at_once_(std::max<std::size_t>(1, terms_at_once / kernels::padded_sites(row_sites_))),
      terms_(kernels::terms_of_site(order.size()) * rows_at_once_ * kernels::padded_sites(row_sites_)),
      of_rows_(kernels::terms_of_site(order.size())) {
  for (std::size_t place = 1; place + 1 < order.size(); ++place) {
    (place + 2 < order.size() ? rows_ : planes_) *= static_cast<std::size_t>(extents[order[place]]);
  }
}

void SliceSums::to_rows(Precision precision, const void* plane, kernels::RowLine* rows) const noexcept {
  const std::size_t row_bytes = row_sites_ * site_numbers_ * bytes_of(precision);
  const std::size_t lines = plane_lines(precision) / rows_;
  for (std::size_t row = 0; row < rows_; ++row) {
    kernels::to_row(precision, static_cast<const std::byte*>(plane) + row * row_bytes, site_numbers_, row_sites_,
                    rows + row * lines);
  }
}

// The row of the plane whose sites are the next ones in the dimension at this place in the order.
std::size_t SliceSums::row_above(std::size_t row, std::size_t place) const noexcept {
  std::size_t stride = 1;
  for (std::size_t p = 1; p < place; ++p) stride *= static_cast<std::size_t>(extents_[order_[p]]);
  const auto extent = static_cast<std::size_t>(extents_[order_[place]]);
  return row / stride % extent + 1 == extent ? row - (extent - 1) * stride : row + stride;
}

// Planes in which one direction is the last are temporal; the links follow the planes.
LatticeSum& SliceSums::sum_of_term(std::size_t term) noexcept {
  const std::size_t dimensions = order_.size();
  for (std::size_t mu = 0; mu + 1 < dimensions; ++mu) {
    const std::size_t planes = dimensions - 1 - mu;
    if (term < planes) return term + 1 == planes ? temporal_ : spatial_;
    term -= planes;
  }
  return traces_;
}

// The terms of some rows; those of padding are zeros.
void SliceSums::add_terms(std::size_t rows) {
  const std::size_t padded = kernels::padded_sites(row_sites_), count = rows * padded;
  const double* terms = terms_.data();
  for (std::size_t term = 0; term < of_rows_.size(); ++term, terms += rows_at_once_ * padded) {
    if (const auto small = kernels::sum_small_terms(terms, count)) {
      of_rows_[term].high += small->high;
      of_rows_[term].low += small->low;
    } else {
      for (std::size_t s = 0; s < count; ++s) sum_of_term(term).add(terms[s]);
    }
  }
  constexpr std::size_t most_sites = std::size_t{1} << 20;  // sums of this many are exact
  rows_in_sums_ += rows;
  if ((rows_in_sums_ + rows_at_once_) * padded > most_sites) settle();
}

void SliceSums::settle() noexcept {
  for (std::size_t term = 0; term < of_rows_.size(); ++term) {
    sum_of_term(term).add_small(of_rows_[term].high, of_rows_[term].low);
    of_rows_[term] = {};
  }
  rows_in_sums_ = 0;
}

void SliceSums::add(Precision precision, const kernels::RowLine* plane, const kernels::RowLine* next,
                    const kernels::RowLine* behind) {
  const std::size_t dimensions = order_.size(), lines = plane_lines(precision) / rows_;
  kernels::PlaquetteRows rows{.dimensions = dimensions,
                              .along = static_cast<std::size_t>(order_[0]),
                              .sites = row_sites_,
                              .terms_apart = rows_at_once_ * kernels::padded_sites(row_sites_)};
  for (std::size_t row = 0; row < rows_; ++row) {
    rows.here = plane + row * lines;
    for (std::size_t place = 1; place < dimensions; ++place) {
      rows.above[static_cast<std::size_t>(order_[place])] = place + 1 == dimensions ? behind + row * lines
                                                            : place + 2 == dimensions
                                                                ? next + row * lines
                                                                : plane + row_above(row, place) * lines;
    }
    const std::size_t number = row % rows_at_once_;
    kernels::plaquette_terms(precision, colors_, rows, terms_.data() + number * kernels::padded_sites(row_sites_));
    if (number + 1 == rows_at_once_ || row + 1 == rows_) add_terms(number + 1);
  }
  settle();
}

void SliceSums::add(const SliceSums& others) {
  spatial_.add(others.spatial_);
  temporal_.add(others.temporal_);
  traces_.add(others.traces_);
}

void SliceSums::reduce(comm::Comm& comm) { comm::combine_over_ranks(comm, spatial_, temporal_, traces_); }

Plaquette SliceSums::plaquette() const {
  const base::DefaultFloatEnvironment as_everywhere;
  return averages(spatial_, temporal_, extents_);
}

double SliceSums::link_trace() const {
  const base::DefaultFloatEnvironment as_everywhere;
  return traces_.value() / static_cast<double>(lq::volume(extents_) * static_cast<std::uint64_t>(extents_.size()));
}

}  // namespace lq::physics
