// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every range of a small box: its boxes hold its sites, one after the other, and are as few as a greedy hand takes.
#include "lattice/tiles.hpp"

#include <gtest/gtest.h>

#include "lattice/site_order.hpp"

namespace lq::lattice {
namespace {

TEST(RangeBoxesOf, HoldTheSitesOfTheRangeInOrder) {
  const Box box{{1, 0, 2}, {3, 4, 2}};
  for (const SiteOrder& order : {SiteOrder{}, SiteOrder{2, 0, 1}}) {
    const SiteOrder resolved = resolve_order(order, 3);
    for (std::uint64_t begin = 0; begin <= box.volume(); ++begin) {
      for (std::uint64_t end = begin; end <= box.volume(); ++end) {
        for (const std::uint64_t most : {1U, 5U, 6U, 100U}) {
          RangeBoxes boxes(box, order, begin, end, most);
          std::uint64_t expected = begin;
          for (Box part; boxes.next(part);) {
            ASSERT_LE(part.volume(), most);
            Coord x = part.lower;
            do {
              ASSERT_EQ(site_number(x, box, resolved), expected++);
            } while (advance(x, part, resolved));
          }
          ASSERT_EQ(expected, end);
        }
      }
    }
  }
}

TEST(RangeBoxesOf, AreAsLargeAsTheyMayBe) {
  RangeBoxes boxes({{0, 0, 0}, {4, 3, 5}}, {}, 2, 60, 24);
  std::vector<Box> all;
  for (Box part; boxes.next(part);) all.push_back(part);
  const std::vector<Box> expected{
      {{2, 0, 0}, {2, 1, 1}}, {{0, 1, 0}, {4, 2, 1}}, {{0, 0, 1}, {4, 3, 2}}, {{0, 0, 3}, {4, 3, 2}}};
  EXPECT_EQ(all, expected);
}

}  // namespace
}  // namespace lq::lattice
