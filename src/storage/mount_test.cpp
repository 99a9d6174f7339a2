// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which transport a path belongs to.
#include <gtest/gtest.h>

#include <limequat/error.hpp>

#include "storage/transport.hpp"
#include "support/error_of.hpp"

namespace lq::storage {
namespace {

TEST(Mounts, PathsBelongToTheFileSystemWithoutThem) { EXPECT_EQ(&resolve("memory:a"), &posix()); }

TEST(Mounts, TheLongestBeginningDecides) {
  const auto all = make_memory(), some = make_memory();
  {
    const Mount one("memory:", *all), other("memory:some/", *some);
    EXPECT_EQ(&resolve("memory:a"), all.get());
    EXPECT_EQ(&resolve("memory:some/a"), some.get());
    EXPECT_EQ(&resolve("/tmp/memory:a"), &posix());
    EXPECT_EQ(testing::error_of([&] { const Mount again("memory:", *some); }).code(), Code::wrong_state);
    EXPECT_EQ(&resolve("memory:a"), all.get());
  }
  EXPECT_EQ(&resolve("memory:a"), &posix());
}

}  // namespace
}  // namespace lq::storage
