// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/zero_links.hpp"

#include <algorithm>

#include "lattice/site_order.hpp"

namespace lq::physics {
namespace {

std::uint64_t sites_of_slice(const Extents& extents) noexcept {
  return volume(extents) / static_cast<std::uint64_t>(extents[extents.size() - 1]);
}

}  // namespace

void ZeroLinks::add_site(const Grid& grid, std::uint64_t site, std::span<const double> links) noexcept {
  const Box& box = grid.local_box();
  const int last = box.extents.size() - 1;
  const std::size_t of_link = links.size() / static_cast<std::size_t>(last + 1);
  for (int mu = 0; mu <= last; ++mu) {
    const auto link = links.subspan(static_cast<std::size_t>(mu) * of_link, of_link);
    if (!std::ranges::all_of(link, [](double number) { return number == 0; })) continue;
    ++all;
    const std::int64_t t = box.lower[last] + lattice::site_of_rank(site, box.extents)[last];
    if (t == 0) ++in_first_slice[static_cast<std::size_t>(mu)];
    if (t + 1 == grid.extents()[last]) ++in_last_slice[static_cast<std::size_t>(mu)];
  }
}

void ZeroLinks::add(const ZeroLinks& others) noexcept {
  all += others.all;
  for (std::size_t mu = 0; mu < in_first_slice.size(); ++mu) {
    in_first_slice[mu] += others.in_first_slice[mu];
    in_last_slice[mu] += others.in_last_slice[mu];
  }
}

bool ZeroLinks::leave_last_slice(const Extents& extents) const noexcept {
  const std::uint64_t border = sites_of_slice(extents);
  return all == border && in_last_slice[static_cast<std::size_t>(extents.size() - 1)] == border;
}

bool ZeroLinks::fill_boundaries(const Extents& extents) const noexcept {
  const std::uint64_t border = sites_of_slice(extents);
  std::uint64_t filled = 0;
  for (const auto* slice : {&in_first_slice, &in_last_slice}) {
    for (const std::uint64_t count : *slice) filled += count == border ? border : 0;
  }
  return all > 0 && extents[extents.size() - 1] > 1 && filled == all;
}

}  // namespace lq::physics
