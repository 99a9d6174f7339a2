// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random lattices, boxes and orders for property tests; the same on every machine for the same seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include <limequat/lattice.hpp>

namespace lq::testing {

class RandomGeometry {
 public:
  explicit RandomGeometry(std::uint32_t seed) : random_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(high - low + 1));
  }

  // 1 to 8 dimensions of 1 to `largest`, at most `most_sites` sites.
  Extents extents(std::int64_t largest, std::uint64_t most_sites) {
    for (;;) {
      Extents extents = Extents::filled(static_cast<int>(between(1, max_dimensions)), 1);
      for (int d = 0; d < extents.size(); ++d) extents[d] = between(1, largest);
      if (volume(extents) <= most_sites) return extents;
    }
  }

  // Not empty; often the whole extent of a dimension.
  Box box_in(const Box& outer) {
    Box box = outer;
    for (int d = 0; d < outer.extents.size(); ++d) {
      if (between(0, 2) == 0) continue;
      box.extents[d] = between(1, outer.extents[d]);
      box.lower[d] = outer.lower[d] + between(0, outer.extents[d] - box.extents[d]);
    }
    return box;
  }

  SiteOrder order(int dimensions) { return between(0, 2) == 0 ? SiteOrder() : permutation(dimensions); }

  std::vector<int> permutation(int count) {
    std::vector<int> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back(i);
    for (std::size_t i = numbers.size(); i > 1; --i) {
      std::swap(numbers[i - 1], numbers[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
    }
    return numbers;
  }

 private:
  std::mt19937 random_;
};

// The sites of a box by plain counting, in an order that names all dimensions, fastest first; slow and simple.
inline std::vector<Coord> sites_of(const Box& box, SiteOrder order = {}) {
  for (int d = 0; order.size() < static_cast<std::size_t>(box.extents.size()); ++d) order.push_back(d);
  std::vector<Coord> sites{box.lower};
  for (const int d : order) {
    std::vector<Coord> longer;
    for (std::int64_t i = 0; i < box.extents[d]; ++i) {
      for (Coord x : sites) {
        x[d] += i;
        longer.push_back(x);
      }
    }
    sites = longer;
  }
  return sites;
}

}  // namespace lq::testing
