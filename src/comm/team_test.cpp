// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of any size, failures of their members, and helpers that cannot be made.
#include "comm/team.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/few_threads.hpp"

namespace lq::comm {
namespace {

class Teams : public ::testing::TestWithParam<int> {};

TEST_P(Teams, DoEachPartOnceInAThreadOfItsOwn) {
  Team team(GetParam());
  ASSERT_EQ(team.size(), std::max(GetParam(), 1));
  for (int round = 0; round < 20; ++round) {
    std::vector<int> calls(static_cast<std::size_t>(team.size()));
    std::vector<std::thread::id> threads(calls.size());
    team.run([&](int thread) {
      ++calls[static_cast<std::size_t>(thread)];
      threads[static_cast<std::size_t>(thread)] = std::this_thread::get_id();
    });
    EXPECT_EQ(calls, std::vector<int>(calls.size(), 1));
    EXPECT_EQ(threads.front(), std::this_thread::get_id());
    std::ranges::sort(threads);
    EXPECT_EQ(std::unique(threads.begin(), threads.end()), threads.end());
  }
}

TEST_P(Teams, TellTheFailureOfTheLowestOnceAndGoOn) {
  Team team(GetParam());
  for (int lowest = 0; lowest < team.size(); ++lowest) {
    try {
      team.run([&](int thread) {
        if (thread >= lowest) throw std::runtime_error(std::to_string(thread));
      });
      FAIL() << lowest;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::to_string(lowest));
    }
    EXPECT_NO_THROW(team.run([](int) {}));
  }
}

TEST_P(Teams, WorkBesideTheCaller) {
  Team team(GetParam());
  std::atomic<int> helpers{0};
  const auto help = [&](int thread) {
    if (thread == 1) throw std::bad_alloc();
    ++helpers;
  };
  team.begin(help);
  if (team.size() > 1) {
    EXPECT_THROW(team.finish(), std::bad_alloc);
    EXPECT_EQ(helpers, team.size() - 2);
  }
  EXPECT_NO_THROW(team.finish());
}

INSTANTIATE_TEST_SUITE_P(OfManySizes, Teams, ::testing::Values(-1, 0, 1, 2, 3, 7, 13));

TEST(Team, AreWaitedForWhenTheyAreGivenUp) {
  std::atomic<int> done{0};
  const auto help = [&](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++done;
  };
  {
    Team team(4);
    team.begin(help);
  }
  EXPECT_EQ(done, 3);
}

TEST(Team, HelpersTakeNoSignalsOfTheProgram) {
  Team team(2);
  team.run([](int thread) {
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    EXPECT_EQ(::sigismember(&blocked, SIGUSR1), thread);
    EXPECT_EQ(::sigismember(&blocked, SIGSEGV), 0);
  });
}

TEST(Team, HelpersThatCannotBeMadeAreDoneWithout) {
  if (!testing::can_limit_threads) GTEST_SKIP() << "sanitizers need the address space";
  EXPECT_TRUE(testing::with_few_threads([] {
    Team team(500);
    std::atomic<int> parts{0};
    team.run([&](int) { ++parts; });
    return team.size() < 500 && parts == team.size();
  }));
}

}  // namespace
}  // namespace lq::comm
