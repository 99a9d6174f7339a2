// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites 2k and 2k + 1 of the sequence differ in parity, because the extents are even: the odd one of them is record k.
// Blocks are even along the dimension that is fastest, so that both are in one.
#include "lattice/odd_points.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "lattice/site_order.hpp"

namespace lq::lattice {
namespace {

void require_even_links(const Payload& payload) {
  const int dimensions = payload.extents.size();
  const FieldSpec& spec = payload.spec;
  bool fits = dimensions >= 1 &&
              (spec.kind == FieldKind::generic || (spec.kind == FieldKind::gauge && spec.links == dimensions)) &&
              spec.numbers > 0 && spec.numbers % static_cast<std::uint64_t>(dimensions) == 0 &&
              payload.stored == whole(payload.extents) && payload.site_bytes() == spec.site_bytes();
  for (const std::int64_t extent : payload.extents) fits = fits && extent >= 2 && extent % 2 == 0;
  if (payload.block.size() > 0) fits = fits && payload.block[resolve_order(payload.order, dimensions).front()] % 2 == 0;
  if (fits) return;
  throw Error(
      Code::invalid_argument,
      fmt::format("a field on {} cannot be stored at odd points; expected one link for each dimension, on a whole "
                  "lattice of even extents and in blocks that hold neighbours of the fastest dimension together",
                  to_string(payload.extents)));
}

}  // namespace

OddPoints::OddPoints(const Payload& payload) {
  require_even_links(payload);
  const int dimensions = payload.extents.size();
  link_bytes_ = payload.site_bytes() / static_cast<std::uint64_t>(dimensions);
  const std::uint64_t numbers = payload.spec.numbers / static_cast<std::uint64_t>(dimensions);
  const SiteOrder order = resolve_order(payload.order, dimensions);
  extents_ = Coord::filled(dimensions, 0);
  std::uint64_t stride = 1;
  for (std::size_t d = 0; d < order.size(); ++d) {
    extents_[static_cast<int>(d)] = payload.extents[order[d]];
    strides_.push_back(stride);
    stride *= static_cast<std::uint64_t>(payload.extents[order[d]]);
  }
  for (int k = 0; k < dimensions; ++k) {
    const std::size_t first = static_cast<std::size_t>(k) * static_cast<std::size_t>(numbers);
    const int mu = payload.codec.order.empty() ? k : static_cast<int>(payload.codec.order[first] / numbers);
    direction_.push_back(static_cast<int>(std::ranges::find(order, mu) - order.begin()));
  }
}

OddPoints::Walk::Walk(const OddPoints& points, std::uint64_t first) noexcept
    : points_(points), site_(first), x_(points.extents_) {
  for (int d = 0; d < x_.size(); ++d) {
    const auto extent = static_cast<std::uint64_t>(points.extents_[d]);
    x_[d] = static_cast<std::int64_t>(first % extent);
    first /= extent;
  }
}

void OddPoints::Walk::advance() noexcept {
  ++site_;
  for (int d = 0; d < x_.size(); ++d) {
    if (++x_[d] < points_.extents_[d]) return;
    x_[d] = 0;
  }
}

std::uint64_t OddPoints::Walk::place(int k) const noexcept {
  std::int64_t sum = 0;
  for (const std::int64_t x : x_) sum += x;
  const auto both = static_cast<std::uint64_t>(2 * points_.links()), pair = 2 * static_cast<std::uint64_t>(k);
  if (sum % 2 != 0) return site_ / 2 * both + pair;
  const int d = points_.direction_[static_cast<std::size_t>(k)];
  const std::uint64_t stride = points_.strides_[static_cast<std::size_t>(d)];
  const auto extent = static_cast<std::uint64_t>(points_.extents_[d]);
  const bool wraps = x_[d] + 1 == points_.extents_[d];
  const std::uint64_t neighbour = wraps ? site_ - (extent - 1) * stride : site_ + stride;
  return neighbour / 2 * both + pair + 1;
}

}  // namespace lq::lattice
