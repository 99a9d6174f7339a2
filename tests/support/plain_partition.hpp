// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Partitions made slowly and plainly, by dealing lists of coordinates out, and random ones to compare.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/partition.hpp>

#include "support/error_of.hpp"
#include "support/random_geometry.hpp"

namespace lq::testing {

// Where each element is, by dealing the coordinates of each axis out into lists, cut after cut.
inline std::vector<PartPlace> places_by_dealing(const FileArray& array, const std::vector<AxisCut>& cuts) {
  std::vector<std::vector<std::int64_t>> coordinates{{}};
  for (const std::int64_t extent : array.extents) {
    std::vector<std::vector<std::int64_t>> longer;
    for (std::int64_t x = 0; x < extent; ++x) {
      for (std::vector<std::int64_t> c : coordinates) {
        c.push_back(x);
        longer.push_back(c);
      }
    }
    coordinates = longer;
  }
  struct Member {
    std::uint64_t element;
    std::vector<std::int64_t> x;  // within the part
  };
  std::vector<std::vector<Member>> parts(1);
  for (std::size_t e = 0; e < coordinates.size(); ++e) parts[0].push_back({e, coordinates[e]});
  std::vector<std::vector<std::int64_t>> extents{array.extents};
  for (const AxisCut& cut : cuts) {
    const auto axis = static_cast<std::size_t>(cut.axis);
    std::vector<std::vector<Member>> more(parts.size() * cut.parts);
    std::vector<std::vector<std::int64_t>> more_extents(more.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      std::vector<std::vector<std::int64_t>> dealt(cut.parts);  // coordinates that each gets
      const auto all = static_cast<std::uint64_t>(extents[p][axis]);
      std::uint64_t x = 0;
      for (std::uint64_t k = 0; cut.unit == 0 && k < cut.parts; ++k) {
        for (std::uint64_t n = 0; n < all / cut.parts + (k < all % cut.parts ? 1 : 0); ++n) {
          dealt[k].push_back(static_cast<std::int64_t>(x++));
        }
      }
      for (std::uint64_t k = 0; cut.unit > 0 && x < all; k = (k + 1) % cut.parts) {
        for (std::uint64_t n = 0; n < cut.unit && x < all; ++n) dealt[k].push_back(static_cast<std::int64_t>(x++));
      }
      for (std::size_t k = 0; k < cut.parts; ++k) {
        const std::size_t to = p + k * parts.size();
        more_extents[to] = extents[p];
        more_extents[to][axis] = static_cast<std::int64_t>(dealt[k].size());
        for (Member member : parts[p]) {
          const auto at = std::ranges::find(dealt[k], member.x[axis]);
          if (at == dealt[k].end()) continue;
          member.x[axis] = at - dealt[k].begin();
          more[to].push_back(member);
        }
      }
    }
    parts = more;
    extents = more_extents;
  }
  std::vector<PartPlace> places(coordinates.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t k = 0; k < parts[p].size(); ++k) places[parts[p][k].element] = {p, k};
  }
  return places;
}

// Cuts of random axes, some of them twice. Not all fit.
inline Partition random_partition(RandomGeometry& random, const FileArray& array) {
  for (;;) {
    std::vector<AxisCut> cuts;
    for (std::int64_t n = random.between(0, 3); n > 0; --n) {
      const auto axis = static_cast<int>(random.between(0, static_cast<std::int64_t>(array.extents.size()) - 1));
      const std::uint64_t unit = random.between(0, 1) == 0 ? 0 : std::uint64_t{1} << random.between(0, 2);
      cuts.push_back({axis, static_cast<std::uint64_t>(random.between(1, 3)), unit});
    }
    Partition partition;
    if (error_of([&] { partition = Partition(array, cuts); }).code() == Code::ok) return partition;
  }
}

inline FileArray random_array(RandomGeometry& random) {
  FileArray array{.begin = static_cast<std::uint64_t>(random.between(0, 9)),
                  .element_bytes = static_cast<std::uint64_t>(random.between(1, 5))};
  for (std::int64_t axes = random.between(1, 4); axes > 0; --axes) array.extents.push_back(random.between(1, 6));
  return array;
}

}  // namespace lq::testing
