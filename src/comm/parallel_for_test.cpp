// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Items that are dealt out: each once, and of failures the one that a single thread would have met.
#include "comm/team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace lq::comm {
namespace {

class Deals : public ::testing::TestWithParam<int> {};

TEST_P(Deals, GiveEachItemToOneThread) {
  Team team(GetParam());
  for (const std::uint64_t count : {0U, 1U, 2U, 1000U}) {
    std::vector<std::atomic<int>> done(count);
    std::vector<std::uint64_t> last(static_cast<std::size_t>(team.size()));
    parallel_for(team, count, [&](int thread, std::uint64_t item) {
      ++done[item];
      EXPECT_GE(item, last[static_cast<std::size_t>(thread)]) << "each thread goes upwards";
      last[static_cast<std::size_t>(thread)] = item;
    });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

TEST_P(Deals, TellTheLowestFailureAndDoWhatLiesBefore) {
  Team team(GetParam());
  for (const std::uint64_t bad : {0U, 3U, 57U, 99U}) {
    std::vector<std::atomic<int>> done(100);
    try {
      parallel_for(team, done.size(), [&](int, std::uint64_t item) {
        if (item >= bad) throw std::runtime_error(std::to_string(item));
        ++done[item];
      });
      FAIL() << bad;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::to_string(bad));
    }
    for (std::uint64_t item = 0; item < bad; ++item) EXPECT_EQ(done[item], 1) << item;
  }
}

INSTANTIATE_TEST_SUITE_P(ToTeamsOfManySizes, Deals, ::testing::Values(1, 2, 3, 7));

}  // namespace
}  // namespace lq::comm
