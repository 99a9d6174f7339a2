// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/file_order.hpp"

#include <algorithm>

#include "lattice/site_order.hpp"

namespace lq::engine {

FileOrderSums::FileOrderSums(const Payload& payload, TransferStats& stats)
    : payload_(payload),
      order_(lattice::resolve_order(payload.order, payload.stored.extents.size())),
      is_natural_(payload.stored == whole(payload.extents) && std::ranges::is_sorted(order_)),
      packer_(payload, payload.spec.precision, stats.sums),
      stats_(stats) {}

void FileOrderSums::add(std::uint64_t first_site, base::Bytes sites) {
  const std::uint64_t bytes = payload_.site_bytes(), end = first_site + sites.size() / bytes;
  stats_.bytes += sites.size();
  for (std::uint64_t site = first_site; site < end;) {
    const Run run = run_at(site, end - site);
    const auto size = static_cast<std::size_t>(run.sites * bytes);
    add(run, sites.first(size));
    sites = sites.subspan(size);
    site += run.sites;
  }
}

// Site ranks advance evenly along the fastest dimension, and throughout in a full lattice in natural order.
Run FileOrderSums::run_at(std::uint64_t site, std::uint64_t most) const {
  const Box& stored = payload_.stored;
  const int fastest = order_.front();
  const Coord x = lattice::site_at(site, stored, order_);
  const auto left = static_cast<std::uint64_t>(stored.lower[fastest] + stored.extents[fastest] - x[fastest]);
  Coord next = x;
  next[fastest] += 1;
  const std::uint64_t rank = lattice::site_rank(x, payload_.extents);
  if (is_natural_) return {site, most, rank, 1};
  return {site, std::min(left, most), rank, lattice::site_rank(next, payload_.extents) - rank};
}

}  // namespace lq::engine
