// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fault injector fails what it was told to fail, and nothing else.
#include <gtest/gtest.h>

#include <csignal>

#include "support/error_of.hpp"
#include "support/faulty.hpp"

namespace lq::testing {
namespace {

using storage::make_memory;

// Five operations: create, write, write, close, kind.
void work(storage::Transport& fs) {
  const auto file = fs.create("a");
  file->write_at(0, base::as_bytes("abcd"));
  file->write_at(4, base::as_bytes("efgh"));
  file->close();
  fs.kind("a");
}

Code code_of_run(FaultyTransport& fs) {
  return error_of([&] { work(fs); }).code();
}

TEST(Faulty, CountsOperationsWithoutDisturbingThem) {
  const auto memory = make_memory();
  FaultyTransport fs(*memory);
  work(fs);
  EXPECT_EQ(fs.operations(), 5);
  EXPECT_FALSE(fs.has_failed());
}

TEST(Faulty, FailsExactlyTheChosenOperation) {
  for (std::int64_t k = 0; k < 5; ++k) {
    const auto memory = make_memory();
    FaultyTransport fs(*memory, k);
    EXPECT_EQ(code_of_run(fs), Code::io) << k;
    EXPECT_EQ(fs.operations(), k + 1);
    EXPECT_TRUE(fs.has_failed());
  }
}

TEST(Faulty, IsHarmlessBehindTheLastOperation) {
  const auto memory = make_memory();
  FaultyTransport fs(*memory, 5);
  EXPECT_EQ(code_of_run(fs), Code::ok);
  EXPECT_FALSE(fs.has_failed());
}

TEST(Faulty, AShortWriteLeavesTheFirstHalf) {
  const auto memory = make_memory();
  FaultyTransport fs(*memory, 2, Fault::short_write);
  EXPECT_EQ(code_of_run(fs), Code::io);
  EXPECT_EQ(memory->open_read("a")->size(), 6u);
}

TEST(Faulty, RunsOutOfSpaceOnlyWhereSpaceIsNeeded) {
  for (std::int64_t k = 0; k < 5; ++k) {
    const auto memory = make_memory();
    FaultyTransport fs(*memory, k, Fault::no_space);
    EXPECT_EQ(code_of_run(fs), k < 4 ? Code::no_space : Code::io) << k;
  }
}

TEST(FaultyDeathTest, KillsTheProcess) {
  const auto memory = make_memory();
  FaultyTransport fs(*memory, 1, Fault::kill);
  EXPECT_EXIT(work(fs), ::testing::KilledBySignal(SIGKILL), "");
}

}  // namespace
}  // namespace lq::testing
