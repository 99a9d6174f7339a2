// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Programs that have loaded no driver ask for one at every transfer: what is not there costs them nothing, and what is
// loaded later is found.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "device/driver.hpp"

namespace {
int searches = 0;
}

// In place of the system's for all that is linked into this program.
extern "C" void* dlopen(const char* name, int flags) noexcept {
  ++searches;
  using Open = void* (*)(const char*, int);
  return reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "dlopen"))(name, flags);
}

namespace lq::device {
namespace {

TEST(AbsentDriver, IsNotLookedForUntilMoreLibrariesAreLoaded) {
  for (const Kind kind : {Kind::cuda, Kind::hip}) EXPECT_EQ(driver_of_kind(kind), nullptr);
  EXPECT_GT(searches, 0);
  const int first = searches;
  for (int again = 0; again < 10; ++again) {
    for (const Kind kind : {Kind::cuda, Kind::hip}) EXPECT_EQ(driver_of_kind(kind), nullptr);
  }
  EXPECT_EQ(searches, first);
  ASSERT_NE(::dlopen(LQ_CUDA_STAND_IN, RTLD_NOW | RTLD_LOCAL), nullptr);
  EXPECT_NE(driver_of_kind(Kind::cuda), nullptr);
  EXPECT_EQ(driver_of_kind(Kind::hip), nullptr);
}

}  // namespace
}  // namespace lq::device
