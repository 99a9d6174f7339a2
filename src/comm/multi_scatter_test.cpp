// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Dealings of all shapes, each from any rank, against what each rank is to get; and how many steps they take.
#include "comm/multi_root.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <stdexcept>

#include "comm/agree.hpp"
#include "support/thread_comm.hpp"

namespace lq::comm {
namespace {

// Some begin with the last rank of the one before, some after it, some are of nobody.
std::vector<ScatterItem> random_items(int ranks, std::size_t number, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<ScatterItem> items;
  int next = 0;
  for (std::size_t i = 0; i < number; ++i) {
    const int from = static_cast<int>(random() % static_cast<unsigned>(ranks));
    const int first = std::min(next + static_cast<int>(random() % 5 / 4), ranks - 1);
    const int last = std::min<int>(first + static_cast<int>(random() % (seed % 2 == 0 ? 3U : 20U)), ranks);
    items.push_back({from, first, last});
    if (last > first) next = last - 1 + static_cast<int>(random() % 2);
  }
  return items;
}

// Nothing, some bytes, or more than a message takes.
std::vector<std::byte> part(std::size_t item, int rank) {
  const std::size_t kind = (item + static_cast<std::size_t>(rank)) % 7;
  const std::size_t size = kind == 0 ? 0 : kind == 6 ? 150'000 + item : 10 * kind + item;
  return std::vector<std::byte>(size, static_cast<std::byte>(item * 31 + static_cast<std::size_t>(rank)));
}

std::vector<ScatteredPart> multi_scatter(Comm& comm, const std::vector<ScatterItem>& items,
                                         const MultiScatter::PartOf& part_of) {
  MultiScatter scatter = agree(comm, [&] { return MultiScatter(comm, items, part_of); });
  return scatter.run();
}

class Dealings : public ::testing::TestWithParam<int> {};

TEST_P(Dealings, ReachWhomTheyAreFor) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const std::vector<ScatterItem> items = random_items(GetParam(), 1 + seed * 3, seed);
    testing::run_ranks(GetParam(), [&](std::shared_ptr<Comm> comm) {
      const std::vector<ScatteredPart> mine = multi_scatter(*comm, items, [&](std::size_t item, int rank) {
        EXPECT_EQ(items[item].from, comm->rank());
        return part(item, rank);
      });
      auto next = mine.begin();
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (comm->rank() < items[i].first || comm->rank() >= items[i].last) continue;
        ASSERT_NE(next, mine.end());
        EXPECT_EQ(next->item, i);
        EXPECT_TRUE(next->bytes == part(i, comm->rank())) << "item " << i << ", seed " << seed;
        ++next;
      }
      EXPECT_EQ(next, mine.end());
    });
  }
}

TEST_P(Dealings, WhosePartsCannotBeMadeLeaveNobodyWaiting) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const std::vector<ScatterItem> items = random_items(GetParam(), 9, seed);
    testing::run_ranks(GetParam(), [&](std::shared_ptr<Comm> comm) {
      bool has_failed = false;
      const auto deal = [&] {
        multi_scatter(*comm, items, [&](std::size_t item, int rank) {
          if (item % 3 == 1 && rank % 2 == 1) {
            has_failed = true;
            throw std::runtime_error("no memory");
          }
          return part(item, rank);
        });
      };
      bool has_thrown = false;
      try {
        deal();
      } catch (const std::runtime_error&) {
        has_thrown = true;
      }
      // Those whose parts are not made yet may hear of it, too.
      EXPECT_TRUE(has_thrown || !has_failed);
      comm->barrier();
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Dealings, ::testing::Values(1, 2, 3, 5, 8, 16, 33));

// Each item is from a rank far away, which gets something itself: no chain of ranks that wait for each other.
TEST(DealingsOfManyRanks, TakeStepsThatGrowWithTheLogarithmOfOneDealing) {
  constexpr int ranks = 512;
  for (const int shift : {0, 64, 128, 200}) {
    for (const int shared : {0, 1}) {
      std::vector<ScatterItem> items;
      for (int i = 0; i < 8; ++i) {
        items.push_back({(i * 64 + shift) % ranks, i * 64 - (i > 0 ? shared : 0), (i + 1) * 64});
      }
      std::vector<testing::Traffic> traffic;
      testing::run_ranks(ranks,
                         [&](std::shared_ptr<Comm> comm) {
                           multi_scatter(*comm, items, [](std::size_t, int) { return std::vector<std::byte>(16); });
                         },
                         {.traffic = &traffic});
      std::uint64_t steps = 0;
      for (const testing::Traffic& one : traffic) steps = std::max(steps, one.steps);
      // The agreement that all is there, then to the first one, and two halves, each down a tree of 65 ranks at most,
      // two messages per edge.
      EXPECT_LE(steps, static_cast<unsigned>(std::bit_width(511U)) + 2u +
                           2u * 2u * static_cast<unsigned>(std::bit_width(64U) + 1))
          << shift << ' ' << shared;
    }
  }
}

}  // namespace
}  // namespace lq::comm
