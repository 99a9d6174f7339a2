// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/random_number.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

namespace lq::base {
namespace {

// Of 200 numbers of 32 bits two are alike once in 200000 times; more than two never.
TEST(RandomNumber, IsAnotherEachTime) {
  std::set<std::uint32_t> numbers;
  for (int i = 0; i < 200; ++i) numbers.insert(random_number());
  EXPECT_GE(numbers.size(), 199u);
}

TEST(RandomNumber, IsAnotherInAChild) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::uint64_t mine = std::uint64_t{random_number()} << 32 | random_number();
    ::_exit(::write(ends[1], &mine, sizeof mine) == sizeof mine ? 0 : 1);
  }
  const std::uint64_t ours = std::uint64_t{random_number()} << 32 | random_number();
  std::uint64_t of_child = 0;
  EXPECT_EQ(::read(ends[0], &of_child, sizeof of_child), static_cast<ssize_t>(sizeof of_child));
  EXPECT_NE(ours, of_child);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  for (const int end : ends) ::close(end);
}

}  // namespace
}  // namespace lq::base
