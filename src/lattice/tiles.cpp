// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/tiles.hpp"

#include "lattice/site_order.hpp"

namespace lq::lattice {

Tiles::Tiles(const Box& box, const SiteOrder& order, std::uint64_t max_sites)
    : box_(box), order_(resolve_order(order, box.extents.size())), tile_(box.extents), counts_(box.extents) {
  std::uint64_t room = std::max<std::uint64_t>(max_sites, 1);
  count_ = box.empty() ? 0 : 1;
  for (int d : order_) {
    const std::int64_t extent = box.extents[d];
    const std::int64_t part =
        static_cast<std::int64_t>(std::min<std::uint64_t>(room, static_cast<std::uint64_t>(extent)));
    tile_[d] = part;
    counts_[d] = part > 0 ? (extent + part - 1) / part : 0;
    count_ *= static_cast<std::uint64_t>(counts_[d]);
    // Once a dimension is cut, the slower ones advance one by one, so that a tile stays contiguous in the file.
    room = part < extent
               ? 1
               : std::max<std::uint64_t>(room / static_cast<std::uint64_t>(std::max<std::int64_t>(part, 1)), 1);
  }
}

Box Tiles::tile(std::uint64_t number) const {
  Box box = box_;
  for (int d : order_) {
    const auto index = static_cast<std::int64_t>(number % static_cast<std::uint64_t>(counts_[d]));
    number /= static_cast<std::uint64_t>(counts_[d]);
    box.lower[d] = box_.lower[d] + index * tile_[d];
    box.extents[d] = std::min(tile_[d], box_.extents[d] - index * tile_[d]);
  }
  return box;
}

Share share_of(std::uint64_t total, std::uint64_t shares, std::uint64_t index) noexcept {
  const std::uint64_t quotient = total / shares, remainder = total % shares;
  const std::uint64_t begin = index * quotient + std::min(index, remainder);
  return {begin, begin + quotient + (index < remainder ? 1 : 0)};
}

Blocks::Blocks(const Payload& payload, const Box& wanted)
    : wanted_(wanted),
      order_(resolve_order(payload.order, wanted.extents.size())),
      origin_(payload.stored.lower),
      block_(payload.block),
      counts_(payload.block) {
  for (int d = 0; d < block_.size(); ++d) {
    const std::int64_t first = (wanted.lower[d] - origin_[d]) / block_[d];
    const std::int64_t end = wanted.lower[d] - origin_[d] + wanted.extents[d];
    origin_[d] += first * block_[d];
    counts_[d] = wanted.empty() ? 0 : (end + block_[d] - 1) / block_[d] - first;
    count_ *= static_cast<std::uint64_t>(counts_[d]);
  }
}

Box Blocks::box(std::uint64_t number) const noexcept {
  Box box = wanted_;
  for (const int d : order_) {
    const auto count = static_cast<std::uint64_t>(counts_[d]);
    const std::int64_t begin = origin_[d] + static_cast<std::int64_t>(number % count) * block_[d];
    number /= count;
    const std::int64_t end = std::min(begin + block_[d], wanted_.lower[d] + wanted_.extents[d]);
    box.lower[d] = std::max(begin, wanted_.lower[d]);
    box.extents[d] = end - box.lower[d];
  }
  return box;
}

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
  std::uint64_t sites = 1;  // in whole dimensions
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

// Takes the largest aligned box that fits at the start of the rest: boxes grow dimension by dimension up to the slowest
// one that the interval spans, and shrink again towards its end.

BoxesOfInterval::BoxesOfInterval(std::uint64_t first, std::uint64_t end, const Box& box, const SiteOrder& order) {
  while (first < end) {
    Box part{site_at(first, box, order), Coord::filled(box.extents.size(), 1)};
    std::uint64_t sites = 1;  // sites of a whole sub-box of the dimensions so far
    for (const int d : order) {
      const std::int64_t behind = part.lower[d] - box.lower[d];
      const auto left = static_cast<std::uint64_t>(box.extents[d] - behind);
      const std::uint64_t count = std::min(left, (end - first) / sites);
      part.extents[d] = static_cast<std::int64_t>(count);
      // Only a whole line, from begin to end, can be extended in the next dimension.
      if (behind > 0 || count < static_cast<std::uint64_t>(box.extents[d])) {
        sites *= count;
        break;
      }
      sites *= count;
      if ((end - first) / sites == 0) break;
    }
    boxes_[count_++] = part;
    first += sites;
  }
}

}  // namespace lq::lattice
