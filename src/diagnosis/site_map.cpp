// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/site_map.hpp"

namespace lq::diagnosis {

SiteMap sequence_of(const Extents& extents, const SiteOrder& order) {
  SiteMap map{extents, {}};
  for (const int d : order) map.digits.push_back({d, static_cast<std::uint64_t>(extents[d]), 1});
  return map;
}

SiteMap processes_of(const Extents& extents, const Coord& processes, bool ranks_last_fastest) {
  SiteMap map{extents, {}};
  const int dimensions = extents.size();
  for (int d = 0; d < dimensions; ++d) {
    map.digits.push_back({d, static_cast<std::uint64_t>(extents[d] / processes[d]), 1});
  }
  for (int k = 0; k < dimensions; ++k) {
    const int d = ranks_last_fastest ? dimensions - 1 - k : k;
    map.digits.push_back(
        {d, static_cast<std::uint64_t>(processes[d]), static_cast<std::uint64_t>(extents[d] / processes[d])});
  }
  return map;
}

std::uint64_t number_of(const SiteMap& map, const Coord& x) noexcept {
  std::uint64_t number = 0, weight = 1;
  for (const Digit& digit : map.digits) {
    number += weight * (static_cast<std::uint64_t>(x[digit.dimension]) / digit.step % digit.count);
    weight *= digit.count;
  }
  return number;
}

Coord site_of(const SiteMap& map, std::uint64_t number) noexcept {
  Coord x = whole(map.extents).lower;
  for (const Digit& digit : map.digits) {
    x[digit.dimension] += static_cast<std::int64_t>(number % digit.count * digit.step);
    number /= digit.count;
  }
  return x;
}

}  // namespace lq::diagnosis
