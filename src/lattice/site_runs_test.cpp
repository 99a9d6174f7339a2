// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/site_places.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lq::lattice {
namespace {

// The places of each run, by following its sites.
std::vector<std::vector<std::int64_t>> followed(const std::vector<std::int64_t>& places, std::int64_t dense,
                                                std::size_t turns) {
  SiteRuns runs;
  runs.find(places, dense, turns);
  std::vector<std::vector<std::int64_t>> all;
  for (const SiteRun& run : runs.runs()) {
    auto& of_run = all.emplace_back();
    for (const std::size_t site : runs.sites_of(run)) {
      EXPECT_EQ(places[site], run.place + static_cast<std::int64_t>(of_run.size()) * run.step);
      of_run.push_back(places[site]);
    }
    EXPECT_EQ(of_run.size(), run.sites);
  }
  return all;
}
using All = std::vector<std::vector<std::int64_t>>;

TEST(SiteRuns, OfParitiesThatTakeTurnsAreTwo) {
  EXPECT_EQ(followed({0, 100, 2, 102, 4, 104}, 2, 2), (All{{0, 2, 4}, {100, 102, 104}}));
  // The next row begins with the other parity.
  EXPECT_EQ(followed({0, 100, 102, 2, 4, 104}, 2, 2), (All{{0, 2, 4}, {100, 102, 104}}));
}

TEST(SiteRuns, LeaveOutSitesThatAreNotThere) {
  constexpr std::int64_t none = SitePlaces::absent;
  EXPECT_EQ(followed({none, 6, none, 8, 10, none}, 2, 2), (All{{6, 8, 10}}));
}

TEST(SiteRuns, AreEvenlySpaced) {
  EXPECT_EQ(followed({0, 50, 100, 150, 7, 57}, 2, 1), (All{{0, 50, 100, 150}, {7, 57}}));
  EXPECT_EQ(followed({9, 7, 5}, 2, 1), (All{{9, 7, 5}}));
  EXPECT_EQ(followed({3, 14, 15, 92, 65}, 1, 1).size(), 3U);
}

}  // namespace
}  // namespace lq::lattice
