// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/link_reader.hpp"

#include <algorithm>
#include <limits>

namespace lq::diagnosis {

void LinkReader::read(std::uint64_t site, std::span<double> numbers) {
  const base::Bytes bytes = reader_.site(site);
  if (bytes.size() < encoding_.site_bytes()) {
    std::ranges::fill(numbers, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  decode(encoding_, bytes, numbers);
}

void Corner::move_to(const SiteMap& map, const Coord& x) {
  const int dimensions = map.extents.size();
  numbers_.resize(static_cast<std::size_t>(dimensions + 1) * site_numbers_);
  const std::span<double> all(numbers_);
  reader_.read(number_of(map, x), all.first(site_numbers_));
  for (int d = 0; d < dimensions; ++d) {
    Coord next = x;
    next[d] = (x[d] + 1) % map.extents[d];
    reader_.read(number_of(map, next), all.subspan(static_cast<std::size_t>(d + 1) * site_numbers_, site_numbers_));
  }
}

}  // namespace lq::diagnosis
