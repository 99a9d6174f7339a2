// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which stripes a new file gets, and what its file system is told.
#include <gtest/gtest.h>

#include <cerrno>

#include "storage/file_system.hpp"
#include "storage/stripes.hpp"
#include "support/recorded_storage.hpp"

namespace lq::storage {
namespace {

using testing::RecordedStorage;

constexpr std::uint64_t mebibyte = 1 << 20, gibibyte = 1 << 30;

// As a new file in it has them before they are set.
FileSystem with_stripes(const char* name, StripeControl control, std::uint64_t count, std::uint64_t bytes) {
  FileSystem fs;
  fs.name = name;
  fs.stripe_control = control;
  fs.stripe_count = count;
  fs.stripe_bytes = bytes;
  fs.is_shared = true;
  return fs;
}
FileSystem lustre(std::uint64_t targets = 8) {
  FileSystem fs = with_stripes("lustre", StripeControl::creation, 1, mebibyte);
  fs.targets = targets;
  return fs;
}
FileSystem ceph() {
  FileSystem fs = with_stripes("fuse.ceph-fuse", StripeControl::new_file, 1, 4 * mebibyte);
  fs.object_bytes = 4 * mebibyte;
  return fs;
}
FileSystem beegfs() { return with_stripes("beegfs", StripeControl::creation, 4, mebibyte / 2); }

struct Expected {
  std::uint64_t file_bytes, count, bytes;
};

TEST(StripesBySize, AreOneForEach64MebibytesUpToTheNumberOfTargets) {
  for (const Expected& one : {Expected{128 * mebibyte, 2, mebibyte}, Expected{500 * mebibyte, 7, mebibyte},
                              Expected{gibibyte, 8, 4 * mebibyte}, Expected{1000 * gibibyte, 8, 4 * mebibyte}}) {
    const Stripes stripes = stripes_for(lustre(), one.file_bytes);
    EXPECT_EQ(stripes.reason, StripeReason::by_size);
    EXPECT_EQ(stripes.count, one.count) << one.file_bytes;
    EXPECT_EQ(stripes.bytes, one.bytes) << one.file_bytes;
  }
  EXPECT_EQ(stripes_for(lustre(0), 1000 * gibibyte).count, 160u);
}

TEST(StripesBySize, OfSmallFilesAreOne) {
  EXPECT_EQ(stripes_for(lustre(), 100 * mebibyte).reason, StripeReason::fitting);
  FileSystem wide = lustre();
  wide.stripe_count = 8;
  const Stripes stripes = stripes_for(wide, 10 * mebibyte);
  EXPECT_EQ(stripes.reason, StripeReason::by_size);
  EXPECT_EQ(stripes.count, 1u);
}

TEST(StripesBySize, AreSetOnLustreOnlyAndNeverWhereTheyGrow) {
  EXPECT_EQ(stripes_for(ceph(), gibibyte).reason, StripeReason::left);
  EXPECT_EQ(stripes_for(beegfs(), gibibyte).reason, StripeReason::left);
  EXPECT_EQ(stripes_for(with_stripes("orangefs", StripeControl::folder, 4, 65536), gibibyte).reason,
            StripeReason::folder_decides);
  EXPECT_EQ(stripes_for(FileSystem{}, gibibyte).reason, StripeReason::no_stripes);
  EXPECT_EQ(stripes_for(lustre(), 0).reason, StripeReason::size_unknown);
  EXPECT_EQ(stripes_for(lustre(), gibibyte, {.by_size = false}).reason, StripeReason::left);
  FileSystem progressive = lustre();
  progressive.is_progressive = true;
  EXPECT_EQ(stripes_for(progressive, gibibyte).reason, StripeReason::progressive);
  EXPECT_EQ(stripes_for(progressive, gibibyte, {.count = 4}).reason, StripeReason::progressive);
}

TEST(StripesAskedFor, AreRoundedToWhatTheFileSystemTakes) {
  const StripeRequest odd{.count = 3, .bytes = 100000};
  EXPECT_EQ(stripes_for(lustre(), gibibyte, odd).bytes, 131072u);
  EXPECT_EQ(stripes_for(ceph(), gibibyte, odd).bytes, 131072u);
  EXPECT_EQ(stripes_for(beegfs(), gibibyte, {.bytes = 200000}).bytes, 262144u);
  EXPECT_EQ(stripes_for(beegfs(), gibibyte, {.bytes = 200000}).count, 4u);
  EXPECT_EQ(stripes_for(lustre(), gibibyte, {.bytes = ~std::uint64_t{0}}).bytes, gibibyte);
  EXPECT_EQ(stripes_for(lustre(), 0, {.count = 5}).count, 5u);
  EXPECT_EQ(stripes_for(lustre(), 0, {.count = 1, .bytes = mebibyte}).reason, StripeReason::fitting);
}

TEST(SettingStripes, RenewsAFileOnLustreWithinItsPool) {
  RecordedStorage calls;
  FileSystem fs = lustre();
  fs.pool = "flash";
  const Stripes set = set_stripes(fs, "d/.f.1", "d/.f.2", gibibyte, {}, calls);
  EXPECT_EQ(set.reason, StripeReason::by_size);
  ASSERT_EQ(calls.calls.size(), 1u);
  EXPECT_EQ(calls.calls[0], "renew d/.f.1 by d/.f.2");
  const auto layout = parse_lustre_layout(calls.attribute("d/.f.1", "lustre.lov"));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->stripe_count, 8u);
  EXPECT_EQ(layout->stripe_bytes, 4 * mebibyte);
  EXPECT_EQ(layout->pool, "flash");
}

TEST(SettingStripes, LeavesWhatSomebodyChoseForAFolder) {
  RecordedStorage calls;
  calls.put("d", "lustre.lov", lustre_layout(2, mebibyte, ""));
  EXPECT_EQ(set_stripes(lustre(), "d/.f.1", "d/.f.2", gibibyte, {}, calls).reason, StripeReason::folder_decides);
  EXPECT_TRUE(calls.calls.empty());
  EXPECT_EQ(set_stripes(lustre(), "d/.f.1", "d/.f.2", gibibyte, {.count = 6}, calls).reason, StripeReason::asked);
}

TEST(SettingStripes, GivesCephAWholeLayoutWithObjectsOfWholeStripes) {
  RecordedStorage calls;
  set_stripes(ceph(), "d/f", "d/g", gibibyte, {.count = 4, .bytes = 3 * mebibyte}, calls);
  ASSERT_EQ(calls.calls.size(), 1u);
  EXPECT_EQ(calls.calls[0], "set d/f ceph.file.layout stripe_unit=3145728 stripe_count=4 object_size=6291456");
}

TEST(SettingStripes, GivesCephObjectsOfOneStripeWhereThatIsWhatTheyAre) {
  RecordedStorage calls;
  set_stripes(ceph(), "d/f", "d/g", gibibyte, {.count = 4, .bytes = 4 * mebibyte}, calls);
  ASSERT_EQ(calls.calls.size(), 1u);
  EXPECT_EQ(calls.calls[0], "set d/f ceph.file.layout stripe_unit=4194304 stripe_count=4 object_size=4194304");
}

TEST(SettingStripes, MakesAFileAnewOnBeegfs) {
  RecordedStorage calls;
  set_stripes(beegfs(), "d/f", "d/g", gibibyte, {.count = 8}, calls);
  ASSERT_EQ(calls.calls.size(), 1u);
  EXPECT_EQ(calls.calls[0], "renew d/f by d/g with 8 of 524288");
}

TEST(SettingStripes, CallsNothingWhereNothingIsToBeSet) {
  RecordedStorage calls;
  FileSystem silent = lustre();
  silent.stripe_bytes = silent.stripe_count = 0;  // which may be one whose stripes grow
  EXPECT_EQ(set_stripes(silent, "d/f", "d/g", gibibyte, {}, calls).reason, StripeReason::left);
  EXPECT_EQ(set_stripes(FileSystem{}, "d/f", "d/g", gibibyte, {}, calls).reason, StripeReason::no_stripes);
  const Stripes impossible = set_stripes(FileSystem{}, "d/f", "d/g", gibibyte, {.count = 3}, calls);
  EXPECT_EQ(impossible.reason, StripeReason::refused);
  EXPECT_EQ(impossible.system_errno, ENOTSUP);
  EXPECT_TRUE(calls.calls.empty());
}

TEST(SettingStripes, SaysWhatTheFileSystemRefused) {
  RecordedStorage calls;
  calls.refusal = EINVAL;
  const Stripes refused = set_stripes(lustre(), "d/f", "d/g", gibibyte, {}, calls);
  EXPECT_EQ(refused.reason, StripeReason::refused);
  EXPECT_EQ(refused.count, 1u);
  EXPECT_FALSE(refused.is_set());
  EXPECT_EQ(to_string(refused), "1 of 1 MiB, the file system refused others: Invalid argument");
}

}  // namespace
}  // namespace lq::storage
