// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/file_system.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <limequat/error.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"

namespace lq::storage {
namespace {

TEST(SingleOwner, IsNeededWhereClientsCachePagesAndWhereNobodyKnows) {
  for (const char* name : {"nfs", "9p", "cifs", "smb2", "afs", "fuse", "fuse.glusterfs", "virtiofs", "0x6a656a63"}) {
    EXPECT_TRUE(needs_single_owner(name)) << name;
  }
  for (const char* name : {"tmpfs", "ext4", "lustre", "gpfs", "ceph", "fuse.ceph-fuse"}) {
    EXPECT_FALSE(needs_single_owner(name)) << name;
  }
}

// Pages of local files are what makes reading again fast. (Those of others: tests/pfs/README.md, by two clients.)
TEST(OldPages, AreKeptOfLocalFiles) {
  for (const char* folder : {"/", "/dev/shm", "/proc"}) {
    struct stat status {};
    if (::stat(folder, &status) != 0) continue;
    for (int time = 0; time < 2; ++time) EXPECT_FALSE(keeps_old_pages(folder, status.st_dev)) << folder;
  }
  EXPECT_FALSE(keeps_old_pages("/", ~std::uint64_t{0}));
}

TEST(CallBytes, AreLargeWhereServersHaveLargeBlocks) {
  constexpr std::uint64_t mib = 1 << 20;
  for (const char* name : {"lustre", "gpfs", "beegfs", "ceph", "wekafs", "parastor", "fuse.daos"}) {
    EXPECT_EQ(call_bytes(name, 4096), 4 * mib) << name;
    EXPECT_EQ(call_bytes(name, mib), 4 * mib) << name;
    EXPECT_EQ(call_bytes(name, 8 * mib), 8 * mib) << name;
    EXPECT_EQ(call_bytes(name, 16 * mib), 8 * mib) << name;
  }
  EXPECT_EQ(call_bytes("0x6a656a63", mib), 4 * mib);  // one unheard of, which says so
  for (const char* name : {"tmpfs", "ext4", "xfs", "zfs", "nfs", "fuse.glusterfs", "fuse.ceph-fuse", "0x6a656a63"}) {
    EXPECT_EQ(call_bytes(name, 64 * 1024), 0U) << name;
  }
  EXPECT_EQ(call_bytes("zfs", mib), 0U);
  EXPECT_EQ(call_bytes("nfs", mib), 0U);
}

TEST(CallBytes, FollowWhatLustreStates) {
  const testing::ScratchDirectory folder;
  EXPECT_EQ(lustre_threshold(folder / "nothing"), 0U);
  for (const char* mount : {"one", "two"}) std::filesystem::create_directory(folder / mount);
  EXPECT_EQ(lustre_threshold(folder.path()), 0U);
  std::ofstream(folder / "one/hybrid_io_write_threshold_bytes") << "2097152\n";
  std::ofstream(folder / "one/hybrid_io_read_threshold_bytes") << "8388608\n";
  std::ofstream(folder / "two/hybrid_io_write_threshold_bytes") << "no number\n";
  EXPECT_EQ(lustre_threshold(folder.path()), 8388608U);
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

// What one look found out about a device only says what the next one asks first.
TEST(FileSystem, IsNamedAlikeEachTime) {
  for (const std::string folder : {"/dev/shm", "/proc", "/dev/shm", "/", "/dev/shm", "/dev/shm"}) {
    EXPECT_EQ(examine_file_system(folder).name, examine_whole_file_system(folder).name) << folder;
  }
}

TEST(FileSystem, HasTheSpaceThatTheSystemReports) {
  const FileSystem found = examine_whole_file_system("/");
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

TEST(FileSystem, OfAPathBelowAFileIsRefusedByThatPath) {
  const ScratchDirectory scratch;
  std::ofstream(scratch / "file") << "contents";
  const std::string below = scratch / "file/below.ildg";
  const Error error = error_of([&] { examine_file_system(below); });
  EXPECT_EQ(error.facts().path, below);
}

FileSystem described() {
  FileSystem fs;
  fs.name = "fuse.glusterfs";
  fs.is_shared = true;
  fs.targets = 3;
  fs.servers = {"one:/brick", "two:/brick", "three:/brick"};
  return fs;
}

TEST(FileSystemText, NamesEachServer) {
  EXPECT_NE(describe(described())
                .find("  targets      3; a file is on one of them unless the volume has shards "
                      "(one:/brick, two:/brick, three:/brick)\n"),
            std::string::npos)
      << describe(described());
}

TEST(FileSystemText, OfOneNodeHasNoStripes) {
  FileSystem fs = described();
  fs.is_shared = false;
  fs.stripe_bytes = 1 << 20;
  fs.stripe_count = 2;
  const std::string text = describe(fs);
  EXPECT_NE(text.find("  stripes      none: one node has all of it\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  targets      one\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace lq::storage
