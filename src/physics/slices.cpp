// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/slices.hpp"

#include "physics/plaquettes.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {
namespace {

std::size_t bytes_of(Precision precision) { return precision == Precision::single ? sizeof(float) : sizeof(double); }

}  // namespace

SliceSums::SliceSums(const Extents& extents, int colors, const SiteOrder& order)
    : extents_(extents),
      order_(order),
      colors_(colors),
      row_sites_(static_cast<std::size_t>(extents[order.front()])),
      site_numbers_(matrix_numbers(colors) * order.size()),
      terms_(kernels::terms_of_site(order.size()) * kernels::padded_sites(row_sites_)),
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

// The terms of a row.
void SliceSums::add_row() {
  const std::size_t padded = kernels::padded_sites(row_sites_);
  const double* terms = terms_.data();
  for (std::size_t term = 0; term < of_rows_.size(); ++term, terms += padded) {
    if (const auto small = kernels::sum_small_terms(terms, padded)) {
      of_rows_[term].high += small->high;
      of_rows_[term].low += small->low;
    } else {
      for (std::size_t s = 0; s < row_sites_; ++s) sum_of_term(term).add(terms[s]);
    }
  }
  constexpr std::size_t most_sites = std::size_t{1} << 20;  // sums of this many are exact
  if (++rows_in_sums_ * padded + padded > most_sites) settle();
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
  kernels::PlaquetteRows rows{
      .dimensions = dimensions, .along = static_cast<std::size_t>(order_[0]), .sites = row_sites_};
  for (std::size_t row = 0; row < rows_; ++row) {
    rows.here = plane + row * lines;
    for (std::size_t place = 1; place < dimensions; ++place) {
      rows.above[static_cast<std::size_t>(order_[place])] = place + 1 == dimensions ? behind + row * lines
                                                            : place + 2 == dimensions
                                                                ? next + row * lines
                                                                : plane + row_above(row, place) * lines;
    }
    kernels::plaquette_terms(precision, colors_, rows, terms_.data());
    add_row();
  }
  settle();
}

void SliceSums::add(std::span<const double> slice, std::span<const double> behind) {
  constexpr auto precision = Precision::double_;
  std::vector<kernels::RowLine> here(plane_lines(precision)), next(here.size()), further(here.size());
  to_rows(precision, slice.data(), here.data());
  for (std::size_t plane = 0; plane < planes_; ++plane) {
    to_rows(precision, slice.data() + (plane + 1) % planes_ * plane_numbers(), next.data());
    to_rows(precision, behind.data() + plane * plane_numbers(), further.data());
    add(precision, here.data(), next.data(), further.data());
    here.swap(next);
  }
}

void SliceSums::add(const SliceSums& others) {
  spatial_.add(others.spatial_);
  temporal_.add(others.temporal_);
  traces_.add(others.traces_);
}

void SliceSums::reduce(comm::Comm& comm) { comm::combine_over_ranks(comm, spatial_, temporal_, traces_); }

Plaquette SliceSums::plaquette() const { return averages(spatial_, temporal_, extents_); }

double SliceSums::link_trace() const {
  return traces_.value() / static_cast<double>(lq::volume(extents_) * static_cast<std::uint64_t>(extents_.size()));
}

}  // namespace lq::physics
