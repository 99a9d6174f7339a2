// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs on a second thread, and without one.
#include "pump/errand.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace lq::pump {
namespace {

class Errands : public ::testing::TestWithParam<bool> {};

TEST_P(Errands, AreDoneOneAfterTheOtherByTheRightThread) {
  Errand errand(GetParam());
  EXPECT_EQ(errand.has_thread(), GetParam());
  std::vector<int> done;
  for (int i = 0; i < 100; ++i) {
    errand.begin([&done, i, here = std::this_thread::get_id()] {
      done.push_back(i);
      EXPECT_EQ(std::this_thread::get_id() == here, !GetParam());
    });
  }
  errand.finish();
  ASSERT_EQ(done.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST_P(Errands, ThatFailAreToldOnceAndOthersCanFollow) {
  Errand errand(GetParam());
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

TEST(Errand, UnfinishedOnesAreWaitedFor) {
  bool done = false;
  {
    Errand errand(true);
    errand.begin([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      done = true;
    });
  }
  EXPECT_TRUE(done);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutThread, Errands, ::testing::Bool());

}  // namespace
}  // namespace lq::pump
