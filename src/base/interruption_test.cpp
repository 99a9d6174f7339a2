// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/interruption.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include <limequat/error.hpp>
#include <limequat/interrupt.hpp>

#include "base/ordered_results.hpp"
#include "support/error_of.hpp"

namespace lq::base {
namespace {

// A program that wants the call to end, or not, while this lives.
class Asked {
 public:
  explicit Asked(int answer) : answer_(answer) {
    set_interrupt_check(
        [](void* context) {
          Asked& asked = *static_cast<Asked*>(context);
          ++asked.times;
          return asked.answer_;
        },
        this);
    begin_call();
  }
  ~Asked() {
    end_call();
    set_interrupt_check(nullptr, nullptr);
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  int times = 0;

 private:
  int answer_;
};

void wait_for_interruption() {
  while (!is_interrupted()) std::this_thread::yield();
}

TEST(Interruption, NeverComesWhereNobodyIsAsked) {
  EXPECT_FALSE(may_be_interrupted());
  begin_call();
  EXPECT_FALSE(may_be_interrupted() || is_interrupted());
  EXPECT_NO_THROW(throw_if_interrupted());
  end_call();
}

bool is_told = false;

TEST(Interruption, ComesWhereACppProgramSaysSo) {
  is_told = false;
  {
    const Interruptible until_told(+[]() noexcept { return is_told; });
    EXPECT_TRUE(may_be_interrupted());
    EXPECT_FALSE(is_interrupted());
    is_told = true;
    wait_for_interruption();
    EXPECT_EQ(testing::error_of([] { throw_if_interrupted(); }).facts().system_errno, ECANCELED);
  }
  EXPECT_FALSE(may_be_interrupted());
}

TEST(Interruption, IsUpToWhoWasAskedBeforeAgain) {
  is_told = false;
  const Asked outer(0);
  {
    const Interruptible until_told(+[]() noexcept { return is_told; });
  }
  const int before = outer.times;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (outer.times == before && std::chrono::steady_clock::now() < deadline) is_interrupted();
  EXPECT_GT(outer.times, before);
}

TEST(Interruption, LastsUntilTheCallEnds) {
  {
    const Asked asked(1);
    wait_for_interruption();
    begin_call();  // of a function that the call has called
    EXPECT_TRUE(is_interrupted());
    end_call();
    EXPECT_TRUE(is_interrupted());
    const Error error = testing::error_of([] { throw_if_interrupted(); });
    EXPECT_EQ(error.code(), Code::io);
    EXPECT_EQ(error.facts().system_errno, ECANCELED);
    EXPECT_EQ(asked.times, 1);
  }
  const Asked asked(0);
  EXPECT_FALSE(is_interrupted());
  while (asked.times < 3) EXPECT_FALSE(is_interrupted());  // is asked again and again
}

TEST(Interruption, IsSeenByTheThreadsOfTheCallAlone) {
  const Asked asked(1);
  bool by_helper = false, by_helper_of_helper = false, by_other = true, by_what_outlasts = true;
  std::thread helper = start_thread_signals_blocked([&] {
    wait_for_interruption();
    by_helper = true;
    start_thread_signals_blocked([&] { by_helper_of_helper = is_interrupted(); }).join();
  });
  wait_for_interruption();
  helper.join();
  std::thread([&] { by_other = is_interrupted(); }).join();
  const Uninterruptible outlasts;
  start_thread_signals_blocked([&] { by_what_outlasts = is_interrupted(); }).join();
  EXPECT_TRUE(by_helper && by_helper_of_helper);
  EXPECT_FALSE(by_other || by_what_outlasts || is_interrupted());
}

TEST(Interruption, EndsWorkInOrderOfWhichNothingIsTaken) {
  for (const int threads : {1, 3}) {
    const Asked asked(1);
    int taken = 0;
    const auto work = [](std::uint64_t number) {
      if (number == 1) wait_for_interruption();
      return number;
    };
    EXPECT_EQ(testing::error_of([&] { in_order(1000, threads, work, [&](std::uint64_t, std::uint64_t) { ++taken; }); })
                  .facts()
                  .system_errno,
              ECANCELED);
    EXPECT_LE(taken, 1);
  }
}

}  // namespace
}  // namespace lq::base
