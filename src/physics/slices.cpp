// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A plane and the next one are kept as rows of numbers (kernels/plaquette_rows.hpp): all but their own rows are
// neighbours, too, and the next one takes the place of the plane. Of the slice behind it is one row at a time.
#include "physics/slices.hpp"

#include <array>

#include "kernels/plaquette_rows.hpp"
#include "physics/plaquettes.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {
namespace {

std::size_t bytes_of(Precision precision) { return precision == Precision::single ? sizeof(float) : sizeof(double); }

void add_all(LatticeSum& sum, const std::vector<double>& traces, std::size_t sites, int colors) {
  for (std::size_t s = 0; s < sites; ++s) sum.add(traces[s] / colors);
}

}  // namespace

SliceSums::SliceSums(const Extents& extents, int colors, const SiteOrder& order)
    : extents_(extents),
      colors_(colors),
      order_(order),
      row_sites_(static_cast<std::size_t>(extents[order.front()])),
      link_numbers_(matrix_numbers(colors)),
      site_numbers_(link_numbers_ * order.size()),
      row_numbers_(kernels::row_numbers(row_sites_, site_numbers_)) {
  for (std::size_t place = 1; place + 1 < order.size(); ++place) {
    (place + 2 < order.size() ? rows_ : planes_) *= static_cast<std::size_t>(extents[order[place]]);
  }
  plane_.resize(rows_ * row_numbers_);
  next_.resize(rows_ * row_numbers_);
  behind_.resize(row_numbers_);
  traces_of_row_.resize(kernels::row_stride(row_sites_));
}

// The row of the plane whose sites are one further in the dimension that has this place in the order.
std::size_t SliceSums::row_above(std::size_t row, std::size_t place) const noexcept {
  std::size_t stride = 1;
  for (std::size_t p = 1; p < place; ++p) stride *= static_cast<std::size_t>(extents_[order_[p]]);
  const auto extent = static_cast<std::size_t>(extents_[order_[place]]);
  return row / stride % extent + 1 == extent ? row - (extent - 1) * stride : row + stride;
}

void SliceSums::add_row(std::size_t row) {
  const std::size_t dimensions = order_.size(), link = link_numbers_ * kernels::row_stride(row_sites_);
  const double* const here = plane_.data() + row * row_numbers_;
  std::array<const double*, max_dimensions> above{};  // by dimension, not by place
  for (std::size_t place = 0; place < dimensions; ++place) {
    above[static_cast<std::size_t>(order_[place])] = place == 0                ? here + 1
                                                     : place + 1 == dimensions ? behind_.data()
                                                     : place + 2 == dimensions
                                                         ? next_.data() + row * row_numbers_
                                                         : plane_.data() + row_above(row, place) * row_numbers_;
  }
  for (std::size_t mu = 0; mu < dimensions; ++mu) {
    kernels::link_traces(colors_, here + mu * link, row_sites_, traces_of_row_.data());
    add_all(traces_, traces_of_row_, row_sites_, colors_);
    for (std::size_t nu = mu + 1; nu < dimensions; ++nu) {
      const kernels::PlaquetteRows rows{{here + mu * link, here + nu * link},
                                        {above[mu] + nu * link, above[nu] + mu * link}};
      kernels::plaquette_traces(colors_, rows, row_sites_, traces_of_row_.data());
      add_all(nu + 1 == dimensions ? temporal_ : spatial_, traces_of_row_, row_sites_, colors_);
    }
  }
}

void SliceSums::add(Precision precision, const void* plane, const void* next, const void* behind) {
  const std::size_t row_bytes = row_sites_ * site_numbers_ * bytes_of(precision);
  const auto take = [&](const void* sites, std::size_t row, double* to) {
    kernels::to_row(precision, static_cast<const std::byte*>(sites) + row * row_bytes, site_numbers_, row_sites_, to);
  };
  const auto take_all = [&](const void* sites, std::vector<double>& to) {
    for (std::size_t row = 0; row < rows_; ++row) take(sites, row, to.data() + row * row_numbers_);
  };
  if (planes_done_ == 0) take_all(plane, plane_);
  take_all(next, next_);
  for (std::size_t row = 0; row < rows_; ++row) {
    take(behind, row, behind_.data());
    add_row(row);
  }
  plane_.swap(next_);
  planes_done_ = (planes_done_ + 1) % planes_;
}

void SliceSums::add(std::span<const double> slice, std::span<const double> behind) {
  for (std::size_t plane = 0; plane < planes_; ++plane) {
    const double* const next = slice.data() + (plane + 1) % planes_ * plane_numbers();
    add(Precision::double_, slice.data() + plane * plane_numbers(), next, behind.data() + plane * plane_numbers());
  }
}

void SliceSums::add(const SliceSums& others) {
  spatial_.add(others.spatial_);
  temporal_.add(others.temporal_);
  traces_.add(others.traces_);
}

void SliceSums::reduce(comm::Comm& comm) {
  for (LatticeSum* sum : {&spatial_, &temporal_, &traces_}) sum->reduce(comm);
}

Plaquette SliceSums::plaquette() const { return averages(spatial_, temporal_, extents_); }

double SliceSums::link_trace() const {
  return traces_.value() / static_cast<double>(lq::volume(extents_) * static_cast<std::uint64_t>(extents_.size()));
}

}  // namespace lq::physics
