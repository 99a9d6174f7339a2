// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/ordered_results.hpp"

#include <numeric>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "support/few_threads.hpp"

namespace lq::base {
namespace {

TEST(InOrderWork, IsTakenInOrderByTheCaller) {
  for (const int threads : {1, 3, 8}) {
    std::vector<std::uint64_t> taken;
    const std::thread::id caller = std::this_thread::get_id();
    in_order(
        1000, threads, [](std::uint64_t k) { return std::to_string(k * k); },
        [&](std::uint64_t k, const std::string& square) {
          EXPECT_EQ(std::this_thread::get_id(), caller);
          EXPECT_EQ(square, std::to_string(k * k));
          taken.push_back(k);
        });
    std::vector<std::uint64_t> all(1000);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(taken, all);
  }
}

TEST(InOrderWork, ThatThrowsEndsItAll) {
  for (const int threads : {1, 4}) {
    std::uint64_t taken = 0;
    const auto work = [](std::uint64_t k) {
      if (k == 70) throw std::runtime_error("seventy");
      return k;
    };
    EXPECT_THROW(in_order(100'000, threads, work, [&](std::uint64_t, std::uint64_t) { ++taken; }), std::runtime_error);
    EXPECT_EQ(taken, 70U);
  }
}

// With some, and with none at all.
TEST(InOrderWork, IsDoneWithoutThreadsThatCannotBeMade) {
  if (!testing::can_limit_threads) GTEST_SKIP() << "sanitizers need the address space";
  EXPECT_TRUE(testing::with_few_threads([] {
    std::uint64_t sum = 0;
    in_order(
        1000, 500, [](std::uint64_t k) { return k; }, [&](std::uint64_t, std::uint64_t k) { sum += k; });
    return sum == 499'500;
  }));
  EXPECT_TRUE(testing::with_few_threads([] {
    const struct rlimit none {};
    ::setrlimit(RLIMIT_AS, &none);
    std::uint64_t taken = 0;
    in_order(
        50, 2, [](std::uint64_t k) { return k; }, [&](std::uint64_t k, std::uint64_t found) { taken += k == found; });
    return taken == 50;
  }));
}

TEST(UtcTime, SortsAsText) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(951'782'399), "2000-02-28T23:59:59Z");
  EXPECT_EQ(utc_text(951'782'400), "2000-02-29T00:00:00Z");
  EXPECT_EQ(utc_text(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(utc_text(INT64_MAX), "9999-12-31T23:59:59Z");
}

}  // namespace
}  // namespace lq::base
