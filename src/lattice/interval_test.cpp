// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Intervals against the list of their sites; ranks of boxes and places of rows against loops over all sites.
#include "lattice/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lattice/decomposition.hpp"
#include "lattice/rows.hpp"
#include "lattice/site_order.hpp"

namespace lq::lattice {
namespace {

TEST(Interval, BoxesAreItsSitesOnceAndInOrder) {
  const Box box{{1, 2, 3}, {3, 4, 2}};
  for (const SiteOrder& order : {SiteOrder{0, 1, 2}, SiteOrder{2, 0, 1}}) {
    for (std::uint64_t first = 0; first <= box.volume(); ++first) {
      for (std::uint64_t end = first; end <= box.volume(); ++end) {
        std::uint64_t next = first;
        const BoxesOfInterval boxes(first, end, box, order);
        EXPECT_LE(boxes.size(), 5U);
        for (const Box& part : boxes) {
          Coord x = part.lower;
          do {
            EXPECT_EQ(site_number(x, box, order), next++);
          } while (advance(x, part, order));
        }
        EXPECT_EQ(next, end);
      }
    }
  }
}

TEST(Decomposition, HoldersOfABoxAreTheOwnersOfItsSites) {
  const Decomposition dealt({5, 4, 3}, {2, 3, 1}, {1, 0, 2}, {3, 5, 1, 0, 2, 4});
  for (const Box& box : {Box{{0, 0, 0}, {5, 4, 3}}, Box{{1, 1, 1}, {1, 2, 1}}, Box{{2, 0, 0}, {2, 1, 3}}}) {
    std::set<int> owners;
    Coord x = box.lower;
    do {
      owners.insert(dealt.owner(x));
    } while (advance(x, box, {0, 1, 2}));
    std::vector<int> holders;
    dealt.add_holders(box, holders);
    std::ranges::sort(holders);
    EXPECT_EQ(holders, std::vector<int>(owners.begin(), owners.end()));
  }
}

TEST(Rows, SeekFindsTheFirstRowThatReachesASite) {
  const Box whole_box = whole({4, 3, 2, 3});
  for (const Box& wanted : {Box{{1, 1, 0, 1}, {2, 2, 2, 2}}, Box{{0, 0, 0, 1}, {4, 3, 1, 2}},
                            Box{{0, 1, 0, 0}, {4, 1, 2, 3}}, whole_box, Box{{3, 2, 1, 2}, {1, 1, 1, 1}}}) {
    Rows rows({whole_box.extents, whole_box, {}, wanted, {}, wanted});
    std::vector<Row> all;
    for (Row row; rows.next(row);) all.push_back(row);
    for (std::uint64_t site = 0; site <= whole_box.volume(); ++site) {
      const auto expected = std::ranges::find_if(all, [&](const Row& row) { return row.file_site + row.sites > site; });
      rows.seek(site);
      Row found;
      const bool any = rows.next(found);
      ASSERT_EQ(any, expected != all.end()) << site;
      if (any) {
        EXPECT_EQ(found.file_site, expected->file_site) << site;
      }
    }
  }
}

}  // namespace
}  // namespace lq::lattice
