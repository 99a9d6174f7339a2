// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Takes the largest aligned box that fits at the start of what is left: boxes grow dimension by dimension up to the
// slowest one that the interval spans, and shrink again towards its end.
#include "lattice/interval.hpp"

#include <algorithm>

#include "lattice/site_order.hpp"

namespace lq::lattice {

BoxesOfInterval::BoxesOfInterval(std::uint64_t first, std::uint64_t end, const Box& box, const SiteOrder& order) {
  while (first < end) {
    Box part{site_at(first, box, order), Coord::filled(box.extents.size(), 1)};
    std::uint64_t sites = 1;  // of a whole sub-box of the dimensions passed so far
    for (const int d : order) {
      const std::int64_t behind = part.lower[d] - box.lower[d];
      const auto left = static_cast<std::uint64_t>(box.extents[d] - behind);
      const std::uint64_t count = std::min(left, (end - first) / sites);
      part.extents[d] = static_cast<std::int64_t>(count);
      // Only a whole line, from its begin to its end, can be extended in the next dimension.
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
