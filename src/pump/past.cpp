// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pump/past.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "lattice/site_order.hpp"
#include "pump/block.hpp"

namespace lq::pump {

void pump_past(base::ByteSource& file, const Payload& payload, std::uint64_t begin, std::uint64_t end,
               const PumpOptions& options, Tally& tally, const lq::Progress& progress) {
  const std::uint64_t site_bytes = payload.site_bytes();
  const SiteOrder order = lattice::resolve_order(payload.order, payload.stored.extents.size());
  const int fastest = order.front();
  const SitePacker packer(payload, payload.spec.precision, tally.sums);
  Block block(options.block_bytes, site_bytes);
  std::uint64_t site = begin;
  while (site < end) {
    const std::uint64_t sites = std::min(block.max_sites(), end - site);
    const base::MutableBytes bytes = block.first_sites(sites);
    {
      base::ScopedSeconds seconds(tally.storage_seconds);
      read_whole(file, payload.origin() + site * site_bytes, bytes);
    }
    base::ScopedSeconds seconds(tally.pack_seconds);
    watch_zeros(payload, bytes, site, tally.zeros);
    // Site ranks advance evenly along the fastest dimension, and throughout in a full lattice in natural order.
    const bool natural = payload.stored == whole(payload.extents) && std::ranges::is_sorted(order);
    for (std::uint64_t done = 0; done < sites;) {
      const Coord x = lattice::site_at(site + done, payload.stored, order);
      const auto left =
          static_cast<std::uint64_t>(payload.stored.lower[fastest] + payload.stored.extents[fastest] - x[fastest]);
      const std::uint64_t part = natural ? sites : std::min(left, sites - done);
      Coord next = x;
      next[fastest] += 1;
      const std::uint64_t rank = lattice::site_rank(x, payload.extents);
      const std::uint64_t stride = lattice::site_rank(next, payload.extents) - rank;
      packer.sum(
          bytes.subspan(static_cast<std::size_t>(done * site_bytes), static_cast<std::size_t>(part * site_bytes)),
          {site + done, part, rank, natural ? 1 : stride}, tally.sums);
      done += part;
    }
    tally.bytes += bytes.size();
    site += sites;
    if (progress) progress(site - begin, end - begin);
  }
}

}  // namespace lq::pump
