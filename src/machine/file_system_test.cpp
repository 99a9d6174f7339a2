// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/file_system.hpp"

#include <gtest/gtest.h>
#include <sys/statvfs.h>
#include <limequat/error.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "machine/layout.hpp"
#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"

namespace lq::machine {
namespace {

TEST(SingleOwner, IsNeededWhereClientsCachePagesAndWhereNobodyKnows) {
  for (const char* name : {"nfs", "9p", "cifs", "smb2", "afs", "fuse", "fuse.glusterfs", "virtiofs", "0x6a656a63"}) {
    EXPECT_TRUE(needs_single_owner(name)) << name;
  }
  for (const char* name : {"tmpfs", "ext4", "lustre", "gpfs", "ceph", "fuse.ceph-fuse"}) {
    EXPECT_FALSE(needs_single_owner(name)) << name;
  }
}

using testing::error_of;
using testing::ScratchDirectory;

// The type of the longest mount point that `path` begins with: by text, not by device number.
std::string type_by_mount_point(const std::string& path) {
  std::ifstream table("/proc/mounts");
  std::string best_point;
  std::string best_type;
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string device;
    std::string point;
    std::string type;
    words >> device >> point >> type;
    const std::string prefix = point == "/" ? point : point + "/";
    if ((path + "/").rfind(prefix, 0) == 0 && point.size() >= best_point.size()) {
      best_point = point;
      best_type = type;
    }
  }
  return best_type;
}

TEST(FileSystem, IsNamedAsTheMountTableNamesIt) {
  for (const std::string folder : {"/dev/shm", "/", "/tmp"}) {
    const std::string type = type_by_mount_point(std::filesystem::canonical(folder).string());
    const FileSystem found = examine_file_system(folder);
    if (type == "tmpfs" || type == "ext4" || type == "xfs" || type == "btrfs" || type == "overlay") {
      EXPECT_EQ(found.name, type) << folder;
      EXPECT_EQ(found.block_bytes, 4096u) << folder;
      EXPECT_FALSE(found.is_shared) << folder;
      EXPECT_FALSE(found.needs_single_owner) << folder;
      EXPECT_TRUE(found.allows_holes) << folder;
    }
    EXPECT_EQ(found.block_bytes % 4096, 0u) << folder;
  }
}

TEST(FileSystem, HasTheSpaceThatTheSystemReports) {
  const FileSystem found = examine_file_system("/");
  struct statvfs facts {};
  ASSERT_EQ(::statvfs("/", &facts), 0);
  EXPECT_EQ(found.total_bytes, std::uint64_t{facts.f_blocks} * facts.f_frsize);
  EXPECT_LE(found.free_bytes, found.total_bytes);
}

TEST(FileSystem, OfAFileThatIsNotThereYetIsThatOfItsFolder) {
  const ScratchDirectory scratch;
  EXPECT_EQ(examine_file_system(scratch / "new.ildg").name, examine_file_system(scratch.path()).name);
  EXPECT_EQ(examine_file_system("no-such-name-here").name, examine_file_system(".").name);
}

TEST(FileSystem, OfAnUnknownFolderIsNotFound) {
  const Error error = error_of([] { examine_file_system("/no-such-folder/x/y"); });
  EXPECT_EQ(error.code(), Code::not_found);
}

TEST(FileSystem, ThatIsSharedAsksForMoreThanPages) {
  const char* folder = std::getenv("LQ_SHARED_FILE_SYSTEM");
  if (folder == nullptr) GTEST_SKIP() << "LQ_SHARED_FILE_SYSTEM names no folder of a shared file system";
  const FileSystem found = examine_file_system(folder);
  EXPECT_EQ(found.name, type_by_mount_point(std::filesystem::canonical(folder).string()));
  EXPECT_TRUE(found.is_shared);
  EXPECT_GE(found.block_bytes, 64u * 1024);
}

constexpr const char* mountinfo =
    "22 28 0:20 / /sys rw,relatime shared:7 - sysfs sysfs rw\n"
    "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 propagate_from:2 - ext3 /dev/root rw,errors=continue\n"
    "40 28 0:51 / /data rw shared:9 - fuse.glusterfs host:/vol rw,user_id=0\n"
    "41 28 0:52 / /data\\040two rw - fuse.ceph-fuse ceph-fuse rw\n"
    "42 28 0:53 / /over rw - ext4 /dev/a rw\n"
    "43 28 0:53 / /over rw - xfs /dev/b rw\n"
    "broken line\n"
    "44 28 0:54 / /cut rw -\n"
    "45 28 0:55 / /cut rw master:1";

TEST(MountTable, NamesTheTypeBehindTheDash) {
  EXPECT_EQ(type_of_mount(mountinfo, 0, 51), "fuse.glusterfs");
  EXPECT_EQ(type_of_mount(mountinfo, 0, 52), "fuse.ceph-fuse");
  EXPECT_EQ(type_of_mount(mountinfo, 98, 0), "ext3");
}

TEST(MountTable, TakesTheLastOfSeveral) { EXPECT_EQ(type_of_mount(mountinfo, 0, 53), "xfs"); }

TEST(MountTable, NamesNothingWhereItIsSilentOrBroken) {
  EXPECT_EQ(type_of_mount(mountinfo, 0, 5), "");
  EXPECT_EQ(type_of_mount(mountinfo, 0, 54), "");
  EXPECT_EQ(type_of_mount(mountinfo, 0, 55), "");
  EXPECT_EQ(type_of_mount("", 0, 51), "");
}

// Bytes as getxattr hands them out on a Lustre client: 2 stripes of 4 MiB, without the list of objects.
std::string plain_layout(char version, std::string stripe, std::string count) {
  return std::string("\xd0\x0b", 2) + version + "\x0b" + std::string("\x01\0\0\0", 4) + std::string(16, '\x11') +
         stripe + count + std::string("\0\0", 2);
}

const std::string four_mebi("\0\0\x40\0", 4);
const std::string one_mebi("\0\0\x10\0", 4);
const std::string two("\x02\0", 2);

TEST(LustreLayout, IsReadFromPlainLayouts) {
  for (const char version : {'\xd1', '\xd3'}) {
    const std::string bytes = plain_layout(version, four_mebi, two) + std::string(48, '\x22');
    const auto layout = parse_lustre_layout(base::as_bytes(bytes));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->stripe_bytes, 4u * 1024 * 1024);
    EXPECT_EQ(layout->stripe_count, 2u);
  }
}

TEST(LustreLayout, OverAllServersHasNoCount) {
  const auto layout = parse_lustre_layout(base::as_bytes(plain_layout('\xd1', one_mebi, "\xff\xff")));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->stripe_count, 0u);
}

std::string word(std::uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string composite_layout(std::uint32_t second_offset) {
  const std::string first = plain_layout('\xd1', one_mebi, std::string("\x01\0", 2));
  const std::string second = plain_layout('\xd3', four_mebi, std::string("\x08\0", 2));
  const std::string head =
      std::string("\xd0\x0b\xd6\x0b", 4) + word(192) + word(1) + std::string("\0\0\x02\0", 4) + std::string(16, '\0');
  const auto entry = [](std::uint32_t offset) {
    return word(1) + word(16) + std::string(16, '\0') + word(offset) + word(32) + std::string(16, '\0');
  };
  return head + entry(128) + entry(second_offset) + first + second;
}

TEST(LustreLayout, OfSeveralComponentsIsTheLargest) {
  const std::string bytes = composite_layout(160);
  ASSERT_EQ(bytes.size(), 192u);
  const auto layout = parse_lustre_layout(base::as_bytes(bytes));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->stripe_bytes, 4u * 1024 * 1024);
  EXPECT_EQ(layout->stripe_count, 8u);
}

TEST(LustreLayout, WithComponentsOutsideUsesTheOthers) {
  for (const std::uint32_t outside : {161u, 193u, 0xffffffffu}) {
    const auto layout = parse_lustre_layout(base::as_bytes(composite_layout(outside)));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->stripe_bytes, 1024u * 1024);
  }
}

TEST(LustreLayout, CutAnywhereIsNotKnownOrSmaller) {
  const std::string bytes = composite_layout(160);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto layout = parse_lustre_layout(base::as_bytes(std::string_view(bytes).substr(0, length)));
    EXPECT_LE(layout.value_or(Layout{}).stripe_count, 1u) << length;
  }
  EXPECT_FALSE(parse_lustre_layout(base::as_bytes(std::string(40, '\x7f'))));
  EXPECT_FALSE(parse_lustre_layout(base::as_bytes(plain_layout('\xd1', std::string(4, '\0'), two))));
}

TEST(CephLayout, IsTwoDecimalNumbers) {
  const auto layout = parse_ceph_layout("4194304", "2\n");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->stripe_bytes, 4194304u);
  EXPECT_EQ(layout->stripe_count, 2u);
  EXPECT_FALSE(parse_ceph_layout("", "1"));
  EXPECT_FALSE(parse_ceph_layout("0", "1"));
  EXPECT_FALSE(parse_ceph_layout("-4096", "1"));
  EXPECT_EQ(parse_ceph_layout("65536", "")->stripe_count, 0u);
}

TEST(OrangeFsLayout, IsFoundAmongTheParameters) {
  const auto layout = parse_orangefs_layout("dist_name:simple_stripe\nstrip_size:65536\n", "4");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->stripe_bytes, 65536u);
  EXPECT_EQ(layout->stripe_count, 4u);
  EXPECT_FALSE(parse_orangefs_layout("dist_name:basic_dist", "4"));
  EXPECT_FALSE(parse_orangefs_layout("strip_size:", "4"));
  EXPECT_FALSE(parse_orangefs_layout("strip_size:99999999999999999999999", "4"));
}

}  // namespace
}  // namespace lq::machine
