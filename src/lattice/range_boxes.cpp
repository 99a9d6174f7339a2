// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/range_boxes.hpp"

#include <algorithm>

#include "lattice/site_order.hpp"

namespace lq::lattice {

RangeBoxes::RangeBoxes(const Box& box, const SiteOrder& order, std::uint64_t begin, std::uint64_t end,
                       std::uint64_t max_sites)
    : box_(box),
      order_(resolve_order(order, box.extents.size())),
      at_(begin),
      end_(end),
      max_sites_(std::max<std::uint64_t>(max_sites, 1)) {}

bool RangeBoxes::next(Box& part) {
  if (at_ >= end_) return false;
  const std::uint64_t most = std::min(end_ - at_, max_sites_);
  part = {site_at(at_, box_, order_), Coord::filled(box_.extents.size(), 1)};
  std::uint64_t sites = 1;  // of whole dimensions
  for (const int d : order_) {
    const auto extent = static_cast<std::uint64_t>(box_.extents[d]);
    const auto left = extent - static_cast<std::uint64_t>(part.lower[d] - box_.lower[d]);
    const std::uint64_t taken = std::min(left, most / sites);
    part.extents[d] = static_cast<std::int64_t>(taken);
    sites *= taken;
    if (taken < extent) break;
  }
  at_ += sites;
  return true;
}

}  // namespace lq::lattice
