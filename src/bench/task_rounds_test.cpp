// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is compared is told apart, and nothing is left behind.
#include "bench/tasks.hpp"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include "support/scratch_directory.hpp"

namespace lq::bench {
namespace {

TEST(Stream, IsThatOfItsTaskToTheLastByte) {
  for (const std::size_t size : {1U, 7U, 8U, 4099U}) {
    std::vector<std::byte> bytes(size);
    fill_stream(bytes, 3);
    EXPECT_TRUE(is_stream_of(bytes, 3));
    EXPECT_FALSE(is_stream_of(bytes, 4)) << size;
    bytes.back() ^= std::byte{1};
    EXPECT_FALSE(is_stream_of(bytes, 3)) << size;
  }
}

class TaskRoundsOfOne : public ::testing::Test {
 protected:
  testing::ScratchDirectory directory_;
  TaskRounds what_{{.directory = directory_.path(), .runs = 2}, directory_ / "turn", 10000, {1}, 0};
  TaskGroup group_;
};

TEST_F(TaskRoundsOfOne, CreateTimesEverySideBesideSeparateFiles) {
  const auto results = measure_create(group_, what_);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].name, "one file per task");
  EXPECT_EQ(results[1].name, "checkpoint");
  EXPECT_EQ(results[0].ratio_to_raw(), 1);
  EXPECT_EQ(results[1].raw.median(), results[0].seconds.median());
  EXPECT_EQ(results[1].seconds.counted().size(), 2u);
  EXPECT_TRUE(std::filesystem::is_empty(what_.rounds.directory));
}

TEST_F(TaskRoundsOfOne, TransferHasBothDirectionsWithAndWithoutChecksums) {
  std::multiset<std::string> found;
  for (const TaskResult& r : measure_transfer(group_, what_)) {
    EXPECT_EQ(r.bytes, 10000u);
    found.insert(r.name + ", " + r.verify + ", " + r.direction);
  }
  EXPECT_EQ(found, (std::multiset<std::string>{"one file per task, none, write", "one file per task, none, read",
                                               "checkpoint, none, write", "checkpoint, none, read",
                                               "checkpoint, checksum, write", "checkpoint, checksum, read"}));
  EXPECT_TRUE(std::filesystem::is_empty(what_.rounds.directory));
}

// A side whose streams are of another task.
TEST_F(TaskRoundsOfOne, OtherBytesAreAnError) {
  class Liar final : public TaskSide {
   public:
    std::string name() const override { return "liar"; }
    void write(const TaskFiles& /*to*/, std::span<const std::byte> /*bytes*/) override {}
    void read(const TaskFiles& /*from*/, std::span<std::byte> bytes) override { fill_stream(bytes, 1); }
  };
  group_.make_multifile = [] { return std::make_unique<Liar>(); };
  EXPECT_THROW(measure_transfer(group_, what_), Error);
  EXPECT_TRUE(std::filesystem::is_empty(what_.rounds.directory));
}

}  // namespace
}  // namespace lq::bench
