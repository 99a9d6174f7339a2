// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Gatherings of all shapes against what each first rank is to get; and how many steps they take.
#include "comm/multi_root.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <stdexcept>

#include "comm/agree.hpp"
#include "support/thread_comm.hpp"

namespace lq::comm {
namespace {

// Some begin with the last rank of the one before, some after it, some are of nobody.
std::vector<GatherItem> random_gatherings(int ranks, std::size_t number, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<GatherItem> gatherings;
  int next = 0;
  for (std::size_t i = 0; i < number; ++i) {
    const int first = std::min(next + static_cast<int>(random() % 5 / 4), ranks - 1);
    const int last = std::min<int>(first + static_cast<int>(random() % (seed % 2 == 0 ? 3U : 20U)), ranks);
    gatherings.push_back({first, last});
    if (last > first) next = last - 1 + static_cast<int>(random() % 2);
  }
  return gatherings;
}

// Nothing, some bytes, or more than a message takes.
std::vector<std::byte> contribution(std::size_t gathering, int rank) {
  const std::size_t kind = (gathering + static_cast<std::size_t>(rank)) % 7;
  const std::size_t size = kind == 0 ? 0 : kind == 6 ? 150'000 + gathering : 10 * kind + gathering;
  return std::vector<std::byte>(size, static_cast<std::byte>(gathering * 31 + static_cast<std::size_t>(rank)));
}

using Gathered = std::map<std::size_t, std::vector<std::byte>>;

class Gatherings : public ::testing::TestWithParam<int> {};

TEST_P(Gatherings, ReachTheFirstOfTheirRanks) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const std::vector<GatherItem> gatherings = random_gatherings(GetParam(), 1 + seed * 3, seed);
    testing::run_ranks(GetParam(), [&](std::shared_ptr<Comm> comm) {
      Gathered gathered, expected;
      MultiGather gatherer = agree(*comm, [&] {
        return MultiGather(*comm, gatherings, [&](std::size_t i) { return contribution(i, comm->rank()); });
      });
      gatherer.gather([&](std::size_t i, std::span<const std::byte> piece) {
        gathered[i].insert(gathered[i].end(), piece.begin(), piece.end());
      });
      for (std::size_t i = 0; i < gatherings.size(); ++i) {
        for (int rank = gatherings[i].first; rank < gatherings[i].last && gatherings[i].first == comm->rank(); ++rank) {
          const std::vector<std::byte> one = contribution(i, rank);
          if (!one.empty()) expected[i].insert(expected[i].end(), one.begin(), one.end());
        }
      }
      EXPECT_EQ(gathered, expected) << "seed " << seed;
    });
  }
}

TEST_P(Gatherings, WhoseSinkThrowsLeaveNobodyWaiting) {
  const std::vector<GatherItem> gatherings = random_gatherings(GetParam(), 9, 3);
  testing::run_ranks(GetParam(), [&](std::shared_ptr<Comm> comm) {
    MultiGather gatherer(*comm, gatherings, [&](std::size_t i) { return contribution(i, comm->rank()); });
    int calls = 0;
    bool has_thrown = false;
    try {
      gatherer.gather([&](std::size_t, std::span<const std::byte>) {
        ++calls;
        throw std::runtime_error("no memory");
      });
    } catch (const std::runtime_error&) {
      has_thrown = true;
    }
    EXPECT_EQ(has_thrown, calls > 0);
    comm->barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Gatherings, ::testing::Values(1, 2, 3, 5, 8, 16, 33));

TEST(GatheringsOfManyRanks, TakeStepsThatGrowWithTheLogarithmOfOne) {
  constexpr int ranks = 512;
  for (const int shared : {0, 1}) {
    std::vector<GatherItem> gatherings;
    for (int i = 0; i < 8; ++i) gatherings.push_back({i * 64 - (i > 0 ? shared : 0), (i + 1) * 64});
    std::vector<testing::Traffic> traffic;
    testing::run_ranks(ranks,
                       [&](std::shared_ptr<Comm> comm) {
                         MultiGather gatherer(*comm, gatherings,
                                              [](std::size_t) { return std::vector<std::byte>(16); });
                         gatherer.gather([](std::size_t, std::span<const std::byte>) {});
                       },
                       {.traffic = &traffic});
    std::uint64_t steps = 0;
    for (const testing::Traffic& one : traffic) steps = std::max(steps, one.steps);
    // Two halves, each up a tree of 65 ranks at most, two messages per edge.
    EXPECT_LE(steps, 2u * 2u * static_cast<unsigned>(std::bit_width(64U) + 1)) << shared;
  }
}

}  // namespace
}  // namespace lq::comm
