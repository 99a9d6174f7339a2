// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Slice by slice against the field in memory.
#include "physics/slices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "lattice/site_order.hpp"
#include "support/thread_comm.hpp"

namespace lq::physics {
namespace {

TEST(SliceSums, AreThoseOfTheFieldInMemoryToTheLastBit) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const Extents& extents : {Extents{2, 4, 3, 5}, Extents{3, 2}, Extents{2, 3, 1}}) {
    for (const int colors : {2, 3, 4}) {
      const Grid grid(extents);
      std::vector<double> links(volume(extents) * static_cast<std::uint64_t>(2 * colors * colors * extents.size()));
      for (double& value : links) value = number(random);
      const Physics expected = measure(grid, gauge(links, {.colors = colors}));
      const auto slices = static_cast<std::size_t>(extents[extents.size() - 1]);
      const std::size_t of_slice = links.size() / slices;
      const std::span<const double> all = links;
      testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
        SliceSums sums(extents, colors, lattice::resolve_order({}, extents.size()));
        const std::size_t planes = sums.planes();
        const auto rows = [&](std::size_t t, std::size_t plane) {
          std::vector<kernels::RowLine> lines(sums.plane_lines(Precision::double_));
          const std::size_t begin = t % slices * of_slice + plane % planes * sums.plane_numbers();
          sums.to_rows(Precision::double_, all.subspan(begin).data(), lines.data());
          return lines;
        };
        for (std::size_t t = static_cast<std::size_t>(comm->rank()); t < slices; t += 2) {
          for (std::size_t p = 0; p < planes; ++p) {
            sums.add(Precision::double_, rows(t, p).data(), rows(t, p + 1).data(), rows(t + 1, p).data());
          }
        }
        sums.reduce(*comm);
        EXPECT_EQ(sums.plaquette().average, expected.plaquette.average);
        EXPECT_EQ(sums.plaquette().spatial, expected.plaquette.spatial);
        EXPECT_EQ(sums.plaquette().temporal, expected.plaquette.temporal);
        EXPECT_EQ(sums.link_trace(), expected.link_trace);
      });
    }
  }
}

// Sites in memory in any order, in either precision.
TEST(SliceSums, DoNotDependOnTheOrderOfSites) {
  const Extents extents{2, 4, 3, 5};
  std::mt19937 random(8);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<float> links(volume(extents) * 72);
  for (float& value : links) value = number(random);
  const Physics expected = measure(Grid(extents), gauge(links));
  const SiteOrder natural = lattice::resolve_order({}, 4);
  for (const SiteOrder& order : {SiteOrder{3, 2, 1, 0}, SiteOrder{2, 1, 0, 3}, SiteOrder{1, 3, 0, 2}}) {
    std::vector<float> sites(links.size());
    Coord x = Coord::filled(4, 0);
    for (std::size_t n = 0; n < volume(extents); ++n, lattice::advance(x, whole(extents), natural)) {
      std::copy_n(links.data() + n * 72, 72, sites.data() + lattice::site_number(x, whole(extents), order) * 72);
    }
    SliceSums sums(extents, 3, order);
    const auto slices = static_cast<std::size_t>(extents[order.back()]), planes = sums.planes();
    const auto rows = [&](std::size_t slice, std::size_t index) {
      std::vector<kernels::RowLine> plane(sums.plane_lines(Precision::single));
      const std::size_t begin = (slice % slices * planes + index % planes) * sums.plane_numbers();
      sums.to_rows(Precision::single, sites.data() + begin, plane.data());
      return plane;
    };
    for (std::size_t slice = 0; slice < slices; ++slice) {
      for (std::size_t p = 0; p < planes; ++p) {
        sums.add(Precision::single, rows(slice, p).data(), rows(slice, p + 1).data(), rows(slice + 1, p).data());
      }
    }
    EXPECT_EQ(sums.plaquette().average, expected.plaquette.average);
    EXPECT_EQ(sums.plaquette().spatial, expected.plaquette.spatial);
    EXPECT_EQ(sums.plaquette().temporal, expected.plaquette.temporal);
    EXPECT_EQ(sums.link_trace(), expected.link_trace);
  }
}

}  // namespace
}  // namespace lq::physics
