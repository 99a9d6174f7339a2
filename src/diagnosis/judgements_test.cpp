// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "base/bytes.hpp"
#include "diagnosis/probes.hpp"
#include "support/scratch_directory.hpp"

namespace lq::diagnosis {
namespace {

using base::gibi;

// Every answer that is not PASS says what to do.
void expect(const Probe& probe, ProbeVerdict verdict, const std::string& word) {
  EXPECT_EQ(probe.verdict, verdict) << probe.name << ": " << probe.found;
  EXPECT_NE(probe.found.find(word), std::string::npos) << probe.name << ": " << probe.found;
  EXPECT_EQ(probe.action.empty(), verdict == ProbeVerdict::pass) << probe.name << ": " << probe.action;
}

TEST(FileSystemVerdict, WarnsOfClientsThatCachePages) {
  FileSystem fs{"nfs", 65536, 0, true, true, true, 100 * gibi, 50 * gibi};
  expect(judge_file_system(fs), ProbeVerdict::warn, "blocks of 64 KiB");
  fs = {"lustre", std::uint64_t{1} << 20, 8, true, false, true, 100 * gibi, 50 * gibi};
  expect(judge_file_system(fs), ProbeVerdict::pass, "8 stripes");
  fs.allows_holes = false;
  expect(judge_file_system(fs), ProbeVerdict::warn, "no holes");
}

TEST(SpaceVerdict, FollowsWhatIsFree) {
  const auto with = [](std::uint64_t total, std::uint64_t free) {
    FileSystem fs;
    fs.total_bytes = total;
    fs.free_bytes = free;
    return judge_space(fs);
  };
  expect(with(100 * gibi, 50 * gibi), ProbeVerdict::pass, "53.7 GB of 107.4 GB");
  expect(with(100 * gibi, gibi - 1), ProbeVerdict::warn, "free");
  expect(with(100 * gibi, 0), ProbeVerdict::fail, "free");
  expect(with(0, 0), ProbeVerdict::pass, "does not report it");
}

TEST(LocksVerdict, WarnsWhereLocksProtectNothing) {
  expect(judge_locks({0, EAGAIN, true}), ProbeVerdict::pass, "keep others out");
  expect(judge_locks({0, EACCES, true}), ProbeVerdict::pass, "keep others out");
  expect(judge_locks({0, 0, true}), ProbeVerdict::warn, "granted twice");
  expect(judge_locks({ENOLCK, 0, true}), ProbeVerdict::warn, "not available: No locks available");
  expect(judge_locks({0, EIO, true}), ProbeVerdict::warn, "second");
}

TEST(PermissionVerdicts, TellWhatIsNotThere) {
  expect(judge_direct_io(EINVAL), ProbeVerdict::pass, "not accepted: Invalid argument");
  expect(judge_preallocation(EOPNOTSUPP), ProbeVerdict::pass, "not supported");
  expect(judge_preallocation(ENOSPC), ProbeVerdict::warn, "No space left");
  expect(judge_io_uring(EPERM), ProbeVerdict::pass, "not available: Operation not permitted");
  expect(judge_shared_memory(false, 0), ProbeVerdict::warn, "not available, 0 B free");
  expect(judge_shared_memory(true, gibi / 32), ProbeVerdict::warn, "free");
  expect(judge_shared_memory(true, gibi), ProbeVerdict::pass, "available");
  expect(judge_neighbour_memory(false, 2, 1), ProbeVerdict::warn, "ptrace_scope is 1");
  expect(judge_neighbour_memory(false, 2, std::nullopt), ProbeVerdict::warn, "cannot be read");
  expect(judge_neighbour_memory(true, 2, 1), ProbeVerdict::pass, "can be read");
}

TEST(ClockVerdict, WarnsOfCoarseAndOfPartedClocks) {
  expect(judge_clock(1e-7, 1e-3), ProbeVerdict::pass, "0.1 us");
  expect(judge_clock(1e-3, 1e-3), ProbeVerdict::warn, "1e+03 us");
  expect(judge_clock(1e-7, 20), ProbeVerdict::warn, "within 20 s");
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
}  // namespace lq::diagnosis
