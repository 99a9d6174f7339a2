// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/blocks.hpp"

#include <algorithm>

#include "lattice/site_order.hpp"

namespace lq::lattice {

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

}  // namespace lq::lattice
