// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "base/bytes.hpp"
#include "support/scratch_directory.hpp"
#include "survey/probes.hpp"

namespace lq::survey {
namespace {

using base::gibi;

// Every answer that is not PASS says what to do.
void expect(const Probe& probe, Verdict verdict, const std::string& word) {
  EXPECT_EQ(probe.verdict, verdict) << probe.name << ": " << probe.found;
  EXPECT_NE(probe.found.find(word), std::string::npos) << probe.name << ": " << probe.found;
  EXPECT_EQ(probe.action.empty(), verdict == Verdict::pass) << probe.name << ": " << probe.action;
}

TEST(FileSystemVerdict, WarnsOfClientsThatCachePages) {
  FileSystem fs{"nfs", 65536, 0, true, true, true, 100 * gibi, 50 * gibi};
  expect(judge_file_system(fs), Verdict::warn, "blocks of 64 KiB");
  fs = {"lustre", std::uint64_t{1} << 20, 8, true, false, true, 100 * gibi, 50 * gibi};
  expect(judge_file_system(fs), Verdict::pass, "8 stripes");
  fs.allows_holes = false;
  expect(judge_file_system(fs), Verdict::warn, "no holes");
}

TEST(SpaceVerdict, FollowsWhatIsFree) {
  const auto with = [](std::uint64_t total, std::uint64_t free) {
    FileSystem fs;
    fs.total_bytes = total;
    fs.free_bytes = free;
    return judge_space(fs);
  };
  expect(with(100 * gibi, 50 * gibi), Verdict::pass, "53.7 GB of 107.4 GB");
  expect(with(100 * gibi, gibi - 1), Verdict::warn, "free");
  expect(with(100 * gibi, 0), Verdict::fail, "free");
  expect(with(0, 0), Verdict::pass, "does not say");
}

TEST(LocksVerdict, WarnsWhereLocksProtectNothing) {
  expect(judge_locks({0, EAGAIN, true}), Verdict::pass, "keep others out");
  expect(judge_locks({0, EACCES, true}), Verdict::pass, "keep others out");
  expect(judge_locks({0, 0, true}), Verdict::warn, "granted twice");
  expect(judge_locks({ENOLCK, 0, true}), Verdict::warn, "cannot be had: No locks available");
  expect(judge_locks({0, EIO, true}), Verdict::warn, "second");
}

TEST(PermissionVerdicts, TellWhatIsNotThere) {
  expect(judge_direct_io(EINVAL), Verdict::pass, "not accepted: Invalid argument");
  expect(judge_preallocation(EOPNOTSUPP), Verdict::pass, "not supported");
  expect(judge_preallocation(ENOSPC), Verdict::warn, "No space left");
  expect(judge_io_uring(EPERM), Verdict::pass, "not available: Operation not permitted");
  expect(judge_shared_memory(false, 0), Verdict::warn, "cannot be had, 0 B free");
  expect(judge_shared_memory(true, gibi / 32), Verdict::warn, "free");
  expect(judge_shared_memory(true, gibi), Verdict::pass, "can be had");
  expect(judge_neighbour_memory(false, 2, 1), Verdict::warn, "ptrace_scope is 1");
  expect(judge_neighbour_memory(false, 2, std::nullopt), Verdict::warn, "cannot be read");
  expect(judge_neighbour_memory(true, 2, 1), Verdict::pass, "can be read");
}

TEST(ClockVerdict, WarnsOfCoarseAndOfPartedClocks) {
  expect(judge_clock(1e-7, 1e-3), Verdict::pass, "0.1 us");
  expect(judge_clock(1e-3, 1e-3), Verdict::warn, "1e+03 us");
  expect(judge_clock(1e-7, 20), Verdict::warn, "within 20 s");
}

// A lock that another descriptor holds is the one thing that can be provoked here for certain.
TEST(ByteLocks, ExcludeASecondDescriptorUntilTheFirstIsGone) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch / "file";
  std::ofstream(path).put('x');
  {
    const ByteLock first(path);
    ASSERT_EQ(first.reason(), 0);
    const int second = ByteLock(path).reason();
    EXPECT_TRUE(second == EAGAIN || second == EACCES) << second;
  }
  EXPECT_EQ(ByteLock(path).reason(), 0);
  EXPECT_EQ(ByteLock(scratch / "none").reason(), ENOENT);
}

TEST(Attempts, OnAFileThatIsNotThereSayWhy) {
  EXPECT_EQ(try_direct_io("/no/such/file"), ENOENT);
  EXPECT_EQ(try_preallocation("/no/such/file"), ENOENT);
}

}  // namespace
}  // namespace lq::survey
