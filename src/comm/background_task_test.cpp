// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs on a second thread, and without one.
#include "comm/team.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

namespace lq::comm {
namespace {

class Errands : public ::testing::TestWithParam<bool> {};

TEST_P(Errands, AreDoneOneAfterTheOtherByTheRightThread) {
  BackgroundTask errand(GetParam());
  EXPECT_EQ(errand.has_thread(), GetParam());
  std::vector<int> done;
  for (int i = 0; i < 100; ++i) {
    errand.begin([&done, i, here = std::this_thread::get_id()] {
      done.push_back(i);
      EXPECT_EQ(std::this_thread::get_id() == here, !GetParam());
    });
  }
  errand.finish();
  EXPECT_TRUE(errand.is_idle());
  ASSERT_EQ(done.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST_P(Errands, ThatFailAreToldOnceAndOthersCanFollow) {
  BackgroundTask errand(GetParam());
  const auto failing = [&] {
    errand.begin([] { throw std::runtime_error("no"); });
    errand.finish();
  };
  EXPECT_THROW(failing(), std::runtime_error);
  errand.finish();
  bool done = false;
  errand.begin([&] { done = true; });
  errand.finish();
  EXPECT_TRUE(done);
}

// A signal to the process is for a thread of the program, which may have a handler that expects its own.
TEST(BackgroundTask, ThreadsTakeNoSignalsOfTheProgram) {
  static std::atomic<bool> is_delivered;
  is_delivered = false;
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) { is_delivered = true; };
  ::sigaction(SIGUSR1, &action, &before);
  BackgroundTask errand(true);
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &ours, nullptr);
  ::kill(::getpid(), SIGUSR1);
  errand.begin([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  errand.finish();
  EXPECT_FALSE(is_delivered);
  ::pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
  EXPECT_TRUE(is_delivered);
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST(BackgroundTask, UnfinishedOnesAreWaitedFor) {
  bool done = false;
  {
    BackgroundTask errand(true);
    errand.begin([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      done = true;
    });
  }
  EXPECT_TRUE(done);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutThread, Errands, ::testing::Bool());

}  // namespace
}  // namespace lq::comm
