// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/slices.hpp"

#include "physics/plaquettes.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {

template <class Colors>
void SliceSums::add_slice(Colors colors, const double* slice, const double* behind) {
  const int last = extents_.size() - 1;
  const std::size_t link = matrix_numbers(colors), site = link * static_cast<std::size_t>(last + 1);
  const auto at = [&](const double* links, std::size_t x, int mu) {
    return links + x * site + static_cast<std::size_t>(mu) * link;
  };
  Matrix first(colors), second(colors);
  Coord place = Coord::filled(last, 0);
  std::size_t sites = 1;
  for (int d = 0; d < last; ++d) sites *= static_cast<std::size_t>(extents_[d]);
  for (std::size_t x = 0; x < sites; ++x) {
    Coord up = Coord::filled(last, 0);  // numbers of the neighbours
    for (std::size_t d = 0, stride = 1; d < static_cast<std::size_t>(last); ++d) {
      const int mu = static_cast<int>(d);
      const auto extent = static_cast<std::size_t>(extents_[mu]);
      const bool wraps = place[mu] + 1 == extents_[mu];
      up[mu] = static_cast<std::int64_t>(wraps ? x - (extent - 1) * stride : x + stride);
      stride *= extent;
    }
    const auto behind_of = [&](int mu, int nu) {
      return mu == last ? at(behind, x, nu) : at(slice, static_cast<std::size_t>(up[mu]), nu);
    };
    for (int mu = 0; mu <= last; ++mu) {
      traces_.add(real_trace(colors, at(slice, x, mu)) / colors);
      for (int nu = mu + 1; nu <= last; ++nu) {
        multiply(colors, at(slice, x, mu), behind_of(mu, nu), first.data());
        multiply(colors, at(slice, x, nu), behind_of(nu, mu), second.data());
        (nu == last ? temporal_ : spatial_).add(real_trace_with_adjoint(colors, first.data(), second.data()) / colors);
      }
    }
    for (int d = 0; d < last && ++place[d] == extents_[d]; ++d) place[d] = 0;
  }
}

void SliceSums::add(std::span<const double> slice, std::span<const double> behind) {
  with_colors(colors_, [&](auto n) { add_slice(n, slice.data(), behind.data()); });
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
