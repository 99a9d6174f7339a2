// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/row_places.hpp"

#include <algorithm>

namespace lq::lattice {

RowPlaces::RowPlaces(const MemoryLayout& layout, const FieldSpec& spec, const Box& box)
    : box_(box), rule_(layout, spec, box.extents) {
  for (const Stretch& stretch : rule_.stretches()) groups_ = std::max(groups_, stretch.group + 1);
}

void RowPlaces::find(std::span<const RowPart> parts) {
  sites_ = 0;
  for (const RowPart& part : parts) sites_ += part.sites;
  places_.resize(static_cast<std::size_t>(groups_ * sites_));
  std::span<std::int64_t> left(places_);
  for (std::uint64_t group = 0; group < groups_; ++group) {
    for (const RowPart& part : parts) {
      Coord x = part.x;
      for (int d = 0; d < x.size(); ++d) x[d] -= box_.lower[d];
      rule_.along(x, part.axis, group, left.first(static_cast<std::size_t>(part.sites)));
      left = left.subspan(static_cast<std::size_t>(part.sites));
    }
  }
}

}  // namespace lq::lattice
