// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of a box against a loop over its sites.
#include "lattice/row_walk.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "lattice/site_order.hpp"

namespace lq::lattice {
namespace {

const Box walked{{1, -2, 5}, {3, 1, 4}};

std::vector<Coord> sites_of(const SiteOrder& order, std::uint64_t begin, std::uint64_t sites) {
  std::vector<Coord> all;
  for (std::uint64_t i = begin; i < begin + sites; ++i) all.push_back(lattice::site_at(i, walked, order));
  return all;
}

TEST(RowWalk, PassesEverySiteInTheOrder) {
  for (const SiteOrder& order : {SiteOrder{0, 1, 2}, SiteOrder{2, 0, 1}, SiteOrder{1, 2, 0}}) {
    for (const std::uint64_t most : {1U, 2U, 3U, 5U, 100U}) {
      RowWalk walk(walked, order, most);
      for (std::uint64_t begin = 0; begin < walked.volume(); ++begin) {
        const std::uint64_t sites = walked.volume() - begin;
        std::vector<Coord> seen;
        walk.walk(begin, sites, [&](std::span<const RowPart> parts, std::uint64_t before, std::uint64_t some) {
          EXPECT_EQ(before, seen.size());
          EXPECT_LE(some, most);
          for (const RowPart& part : parts) {
            EXPECT_EQ(part.axis, order.front());
            Coord x = part.x;
            for (std::uint64_t k = 0; k < part.sites; ++k, ++x[part.axis]) {
              EXPECT_TRUE(walked.contains(x));
              seen.push_back(x);
            }
          }
          EXPECT_EQ(before + some, seen.size());
        });
        ASSERT_EQ(seen, sites_of(order, begin, sites));
      }
    }
  }
}

TEST(RowWalk, PassesSitesBehindSeveralAtOnce) {
  const SiteOrder order{2, 0, 1};
  RowWalk walk(walked, order, 5);
  std::array<Coord, 2> begins{lattice::site_at(1, walked, order), lattice::site_at(7, walked, order)};
  std::array<std::vector<Coord>, 2> seen;
  walk.walk(begins, 5, [&](std::span<const RowPart> parts, std::uint64_t before, std::uint64_t some) {
    EXPECT_EQ(before, seen[0].size());
    EXPECT_LE(2 * some, 5U);
    for (const RowPart& part : parts) {
      Coord x = part.x;
      for (std::uint64_t k = 0; k < part.sites; ++k, ++x[part.axis]) {
        seen[seen[0].size() < before + some ? 0 : 1].push_back(x);
      }
    }
  });
  EXPECT_EQ(seen[0], sites_of(order, 1, 5));
  EXPECT_EQ(seen[1], sites_of(order, 7, 5));
}

TEST(RowWalk, TakesNeitherNoSitesNorNoneAtATime) {
  RowWalk walk(walked, {0, 1, 2}, 0);
  int calls = 0;
  const auto count = [&](std::span<const RowPart>, std::uint64_t, std::uint64_t) { ++calls; };
  walk.walk(12, 0, count);
  EXPECT_EQ(calls, 0);
  walk.walk(walked.lower, 2, count);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace lq::lattice
