// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What kind of file system a path is on, and the unit that two writers must not share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lq::machine {

struct FileSystem {
  // "tmpfs", "ext4", "xfs", "btrfs", "lustre", "gpfs", "beegfs", "ceph", "orangefs", "panfs", "nfs", as the mount
  // table calls it ("fuse.glusterfs", "virtiofs"), else the system's number for it ("0x6a656a63").
  std::string name = "unknown";
  std::uint64_t block_bytes = 4096;  // page, lock unit or stripe: a multiple of 4096
  std::uint64_t stripe_count = 1;    // servers that a new file is spread over; 0: not known, or all
  bool is_shared = false;            // several nodes see it
  // Clients cache pages without telling each other: no two writers in one block, every writer syncs, readers on
  // other nodes open anew.
  bool needs_single_owner = false;
  bool allows_holes = true;  // what was never written takes no space and reads as zeros
  std::uint64_t device = 0;  // of the mount, as this node numbers them: two mounts are two clients
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  // for this user; quotas are not seen
};

// Local. `path` is a file or a folder; of a file that is not there yet, its folder is examined. not_found,
// no_permission, io: neither can be.
FileSystem examine_file_system(const std::string& path);

// FileSystem::needs_single_owner of the file system of a name as in FileSystem::name; of one unheard of the worst is
// assumed.
bool needs_single_owner(std::string_view file_system_name);

// Of the system's table of mounts, in the form of /proc/self/mountinfo: the type of the file system with this device
// number ("fuse.glusterfs"), the last mount winning; empty if the table names none.
std::string type_of_mount(std::string_view mountinfo, unsigned major, unsigned minor);

}  // namespace lq::machine
