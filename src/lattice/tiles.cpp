// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/tiles.hpp"

#include <algorithm>

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
    // Once a dimension is cut, the slower ones are taken one by one: a tile stays contiguous in the file.
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

}  // namespace lq::lattice
