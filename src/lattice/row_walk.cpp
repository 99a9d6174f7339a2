// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/row_walk.hpp"

#include "lattice/site_order.hpp"

namespace lq::lattice {

RowWalk::RowWalk(const Box& box, const SiteOrder& order, std::uint64_t most)
    : box_(box), order_(order), most_(std::max<std::uint64_t>(most, 1)) {
  // Rows of one site are the shortest.
  parts_.reserve(static_cast<std::size_t>(std::min(most_, box.volume())));
}

Coord RowWalk::site(std::uint64_t number) const noexcept { return lattice::site_at(number, box_, order_); }

void RowWalk::take_parts(Coord& x, std::uint64_t sites) noexcept {
  const int axis = order_.front();
  while (sites > 0) {
    const auto in_row = static_cast<std::uint64_t>(box_.lower[axis] + box_.extents[axis] - x[axis]);
    const RowPart& part = parts_.emplace_back(RowPart{x, axis, std::min(sites, in_row)});
    sites -= part.sites;
    x[axis] += static_cast<std::int64_t>(part.sites) - 1;
    lattice::advance(x, box_, order_);
  }
}

RowPlaces::RowPlaces(const MemoryLayout& layout, const FieldSpec& spec, const Box& box)
    : box_(box), rule_(layout, spec, box.extents) {
  for (const NumberRun& number_run : rule_.number_runs()) groups_ = std::max(groups_, number_run.group + 1);
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
