// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Kinds of file systems, concluded from what a system tells of each: numbers, types and sources as in the headers and
// tables of mounts of real ones.
#include "storage/file_system.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "support/recorded_storage.hpp"

namespace lq::storage {
namespace {

using testing::RecordedStorage;

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

std::string type_of(unsigned major, unsigned minor) { return mount_of(mountinfo, major, minor).type; }

TEST(MountTable, NamesTheTypeBehindTheDash) {
  EXPECT_EQ(type_of(0, 51), "fuse.glusterfs");
  EXPECT_EQ(type_of(0, 52), "fuse.ceph-fuse");
  EXPECT_EQ(type_of(98, 0), "ext3");
}

TEST(MountTable, TakesTheLastOfSeveral) { EXPECT_EQ(type_of(0, 53), "xfs"); }

TEST(MountTable, NamesNothingWhereItIsSilentOrBroken) {
  EXPECT_EQ(type_of(0, 5), "");
  EXPECT_EQ(type_of(0, 54), "");
  EXPECT_EQ(type_of(0, 55), "");
  EXPECT_EQ(mount_of("", 0, 51).type, "");
}

TEST(MountTable, NamesSourceAndPointWithoutEscapes) {
  const MountEntry ceph = mount_of(mountinfo, 0, 52);
  EXPECT_EQ(ceph.point, "/data two");
  EXPECT_EQ(ceph.source, "ceph-fuse");
  EXPECT_EQ(mount_of("1 2 0:7 / /a\\134b\\ rw - fuse pvfs2fuse#tcp://host:3334/fs rw", 0, 7).point, "/a\\b\\");
  EXPECT_EQ(mount_of("1 2 0:7 / /a rw - fuse", 0, 7).source, "");
}

// A folder of a file system may be mounted elsewhere, too.
TEST(MountTable, TakesTheMountThatAPathLiesBelow) {
  const char* table =
      "1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 8:1 /x /data/x rw - ext4 /dev/a rw\n"
      "3 1 8:1 /y /srv rw - ext4 /dev/a rw\n";
  for (const auto& [path, point] : {std::pair("/home/me", "/"), std::pair("/data/x/f", "/data/x"),
                                    std::pair("/data/xy", "/"), std::pair("/srv", "/srv"), std::pair("", "/srv")}) {
    EXPECT_EQ(mount_of(table, 8, 1, path).point, point) << path;
  }
  EXPECT_EQ(count_mounts(table, 8, 1), 3U);
  EXPECT_EQ(count_mounts(table, 8, 2), 0U);
}

SystemFacts facts(std::uint32_t number, const MountEntry& mount = {}) {
  SystemFacts result;
  result.path = "dir/file";
  result.number = number;
  result.preferred_bytes = 4096;
  result.mount = mount;
  return result;
}

TEST(Kinds, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Kind& kind : kinds()) EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
}

// FUSE is one number for many.
TEST(Kinds, OfFuseAreFoundByTypeOrSource) {
  constexpr std::uint32_t fuse = 0x65735546;
  RecordedStorage calls;
  EXPECT_EQ(conclude(facts(fuse, {"fuse.glusterfs", "host:/vol", "/g"}), calls).name, "fuse.glusterfs");
  const FileSystem ceph = conclude(facts(fuse, {"fuse.ceph-fuse", "ceph-fuse", "/c"}), calls);
  EXPECT_EQ(ceph.coherent, Known::yes);
  EXPECT_EQ(client_writes("fuse.glusterfs"), ClientWrites::best_by_one);
  for (const char* name : {"fuse.sshfs", "fuse.ceph-fuse", "pvfs2fuse", "fuse"})
    EXPECT_EQ(client_writes(name), ClientWrites::in_turn) << name;
  for (const char* name : {"nfs", "ceph", "lustre", "ext4"})
    EXPECT_EQ(client_writes(name), ClientWrites::at_once) << name;
  EXPECT_TRUE(reads_in_order(ceph.name));
  EXPECT_FALSE(reads_in_order("fuse.glusterfs"));
  EXPECT_FALSE(ceph.needs_single_owner);
  EXPECT_EQ(ceph.source, "ceph-fuse");
  const FileSystem orange = conclude(facts(fuse, {"fuse", "pvfs2fuse#tcp://host:3334/fs", "/o"}), calls);
  EXPECT_EQ(orange.name, "pvfs2fuse");
  const FileSystem other = conclude(facts(fuse, {"fuse.sshfs", "host:", "/s"}), calls);
  EXPECT_EQ(other.name, "fuse.sshfs");
  EXPECT_EQ(other.coherent, Known::unknown);
  EXPECT_TRUE(other.needs_single_owner);
  EXPECT_EQ(other.block_bytes, 65536u);
  EXPECT_EQ(conclude(facts(fuse), calls).name, "fuse");
}

// The lines of mounts are as the vendors' guides show them; where a program bypasses FUSE (libpil4dfs) statfs may give
// any number.
TEST(Kinds, OfLargeMachinesAreFoundByTheTypeOfTheirMount) {
  RecordedStorage calls;
  const auto found = [&](std::uint32_t number, const std::string& line) {
    return conclude(facts(number, mount_of("31 1 0:77 / /scratch rw,noatime - " + line, 0, 77)), calls);
  };
  for (const std::uint32_t number : {fuse_number, 0x0DA05000U}) {
    const FileSystem daos = found(number, "fuse.daos dfuse rw,user_id=4211,group_id=100,default_permissions");
    EXPECT_EQ(daos.name, "fuse.daos");
    EXPECT_EQ(daos.network, Known::yes);
    EXPECT_EQ(daos.coherent, Known::unknown);  // written back by default
    EXPECT_TRUE(daos.needs_single_owner);
    EXPECT_EQ(daos.locks, Known::no);
  }
  for (const std::uint32_t number : {0x18031977U, 0x57454B41U}) {
    const FileSystem weka = found(number, "wekafs fs1 rw,relatime,writecache,inode_bits=auto");
    EXPECT_EQ(weka.name, "wekafs");
    EXPECT_EQ(weka.network, Known::yes);
    EXPECT_FALSE(weka.needs_single_owner);
  }
  const FileSystem parastor = found(0x70617261, "parastor p300 rw");
  EXPECT_EQ(parastor.name, "parastor");
  EXPECT_TRUE(parastor.needs_single_owner);
  // VAST is mounted as NFS.
  const FileSystem vast = found(0x6969, "nfs vast:/data rw,vers=3,proto=rdma,nconnect=8,spread_reads,spread_writes");
  EXPECT_EQ(vast.name, "nfs");
  EXPECT_TRUE(vast.needs_single_owner);
  EXPECT_EQ(found(0x47504653, "gpfs fs1 rw").name, "gpfs");
  EXPECT_EQ(found(0x19830326, "beegfs beegfs_nodev rw,cfgFile=/etc/beegfs/beegfs-client.conf").name, "beegfs");
}

TEST(Kinds, ThatNobodyHasHeardOfAreTakenForTheWorst) {
  RecordedStorage calls;
  const FileSystem found = conclude(facts(0x6a656a63), calls);
  EXPECT_EQ(found.name, "0x6a656a63");
  EXPECT_TRUE(found.needs_single_owner);
  EXPECT_FALSE(found.allows_holes);
  EXPECT_EQ(found.locks, Known::unknown);
  EXPECT_EQ(found.network, Known::unknown);
}

TEST(Kinds, TakeTheirBlockFromTheStripe) {
  RecordedStorage calls;
  calls.put("dir/file", "lustre.lov", lustre_layout(4, 2097152, "flash"));
  const FileSystem lustre = conclude(facts(0x0BD00BD0), calls);
  EXPECT_EQ(lustre.name, "lustre");
  EXPECT_EQ(lustre.block_bytes, 2097152u);
  EXPECT_EQ(lustre.stripe_bytes, 2097152u);
  EXPECT_EQ(lustre.stripe_count, 4u);
  EXPECT_EQ(lustre.targets_of_file, 4u);
  EXPECT_EQ(lustre.pool, "flash");
  // Objects of CephFS lie wherever it puts them, whatever the number of stripes.
  calls.put("dir/file", "ceph.file.layout",
            base::as_bytes("stripe_unit=65536 stripe_count=2 object_size=4194304 pool=d"));
  const FileSystem ceph = conclude(facts(0x00C36400), calls);
  EXPECT_EQ(ceph.block_bytes, 65536u);
  EXPECT_EQ(ceph.object_bytes, 4194304u);
  EXPECT_EQ(ceph.targets_of_file, 0u);
  EXPECT_EQ(conclude(facts(0x19830326), calls).block_bytes, 524288u);
}

// A folder has the layout of the nearest one above it that has any, up to the mount.
TEST(Kinds, AskFoldersOfCephUpToTheMount) {
  SystemFacts below = facts(0x00C36400, {"ceph", "mon:/", "/nowhere/c"});
  below.path = "/nowhere/c/a/b/sub";
  for (const char* folder : {"/nowhere/c/a", "/nowhere/c", "/nowhere"}) {
    RecordedStorage calls;
    calls.put(folder, "ceph.dir.layout",
              base::as_bytes("stripe_unit=1048576 stripe_count=4 object_size=4194304 pool=d"));
    const FileSystem found = conclude(below, calls);
    const bool is_in_mount = std::string_view(folder) != "/nowhere";
    EXPECT_EQ(found.block_bytes, is_in_mount ? 1048576u : 4194304u) << folder;
    EXPECT_EQ(found.stripe_count, is_in_mount ? 4u : 0u) << folder;
  }
}

// A stripe that no file system has is not believed.
TEST(Kinds, DoNotBelieveAnyStripe) {
  for (const char* unit : {"1000", "99999999999999999999", "1099511627776", "0"}) {
    RecordedStorage calls;
    calls.put("dir/file", "ceph.dir.layout", base::as_bytes(std::string("stripe_count=1 stripe_unit=") + unit));
    EXPECT_EQ(conclude(facts(0x00C36400), calls).block_bytes, 4194304u) << unit;
  }
}

TEST(Description, SaysWhatIsNotKnown) {
  RecordedStorage calls;
  const std::string text = describe(conclude(facts(0x65735546, {"fuse.glusterfs", "host:/vol", "/g"}), calls));
  EXPECT_NE(text.find("targets      unknown"), std::string::npos) << text;
  EXPECT_NE(text.find("coherent     unknown; every block gets one writer"), std::string::npos) << text;
  EXPECT_NE(to_json(conclude(facts(0x00C36400), calls)).find("\"stripe_bytes\":null"), std::string::npos);
}

}  // namespace
}  // namespace lq::storage
