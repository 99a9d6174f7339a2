// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is known of the file system that a path is on, and the stripes that a new file in it gets. What a system does
// not tell is not guessed: it is unknown, and transfers assume the worst of it.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/version.hpp>

namespace lq {

// The answer to a question that not every file system answers.
enum class Known { no, yes, unknown };
LQ_API std::string_view name(Known known) noexcept;  // "no", "yes", "unknown"

// Who decides on the stripes of a new file.
enum class StripeControl {
  none,      // no user: there are none, or the administrator has set them for all files
  folder,    // the folder that it is made in
  new_file,  // its creator, before it has data
  creation,  // its creator, when it is created
};
LQ_API std::string_view name(StripeControl control) noexcept;  // "none", "folder", "new-file", "creation"

struct FileSystem {
  // "tmpfs", "ext4", "xfs", "btrfs", "lustre", "gpfs", "beegfs", "ceph", "orangefs", "panfs", "nfs", as the mount
  // table calls it ("fuse.glusterfs", "virtiofs"), "pvfs2fuse", else the system's number for it ("0x6a656a63").
  std::string name = "unknown";
  std::uint64_t block_bytes = 4096;  // page, lock unit or stripe: a multiple of 4096
  std::uint64_t stripe_count = 1;    // servers that a new file is spread over; 0: not known, or all
  bool is_shared = false;            // several nodes see it, or nobody knows better
  // Clients cache pages without telling each other: no two writers in one block, every writer syncs, readers on
  // other nodes open anew.
  bool needs_single_owner = false;
  bool allows_holes = true;  // what was never written takes no space and reads as zeros
  std::uint64_t device = 0;  // of the mount, as this node numbers them: two mounts are two clients
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  // for this user; quotas are not seen, and one full server of several is not, either

  std::string mount_point = {};     // as the table of mounts tells; empty: not known
  std::string source = {};          // what is mounted there: "/dev/sda1", "host:/volume"
  Known network = Known::unknown;   // several nodes see it
  Known coherent = Known::unknown;  // every client sees what another has written
  Known locks = Known::unknown;     // clients lock the bytes that they write, so that two in one block wait
  StripeControl stripe_control = StripeControl::none;
  std::uint64_t stripe_bytes = 0;         // of a new file; 0: none, or not known
  std::uint64_t object_bytes = 0;         // CephFS: of the objects that hold the stripes; 0: there are none
  std::string pool = {};                  // that its data go to; empty: not told
  bool is_progressive = false;            // stripes grow with the file, as the folder has it: they are left alone
  std::uint64_t targets = 0;              // that files may lie on, in servers; 0: not known
  std::uint64_t targets_of_file = 0;      // that a new file lies on; 0: not known
  std::vector<std::string> servers = {};  // their names, where they are told
};

// Local. `path` is a file or a folder; of a file that is not there yet, its folder is examined. Asked are statfs, the
// table of mounts, extended attributes, on BeeGFS an ioctl, on Lustre its library where there is one. not_found,
// no_permission, io: the path cannot be examined.
LQ_API FileSystem file_system_of(const std::string& path);
// Local. Lines of "what  fact" for people, two spaces before each.
LQ_API std::string describe(const FileSystem& file_system);
// Local. docs/reference/json.md.
LQ_API std::string to_json(const FileSystem& file_system);

// What is asked for the stripes of a new file; zeros: nothing.
struct StripeRequest {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  // of a stripe
  bool by_size = true;      // where nothing is asked, they are set by the size of the file
};

enum class StripeReason {
  no_stripes,      // of this file system, or none that a program can set
  folder_decides,  // they are set on the folder
  progressive,     // they grow with the file
  size_unknown,    // and nothing was asked
  left,            // nothing was asked, and nothing is to be gained
  fitting,         // they were right already
  by_size,         // set
  asked,           // set
  refused,         // by the file system
};
LQ_API std::string_view name(StripeReason reason) noexcept;  // "no-stripes", "by-size", ...

// Stripes of a new file: those it gets, or has got.
struct Stripes {
  StripeReason reason = StripeReason::no_stripes;
  std::uint64_t count = 0;  // 0: not known
  std::uint64_t bytes = 0;  // of a stripe; 0: not known
  int system_errno = 0;     // with refused

  bool is_set() const noexcept { return reason == StripeReason::by_size || reason == StripeReason::asked; }
};
// Local. Those that a file of so many bytes gets. Small ones get one stripe, others one for each 64 MiB on Lustre; on
// other file systems they are set only if asked for.
LQ_API Stripes stripes_for(const FileSystem& file_system, std::uint64_t file_bytes, const StripeRequest& request = {});
// "8 of 1 MiB, set by the size of the file"
LQ_API std::string to_string(const Stripes& stripes);
LQ_API std::string to_json(const Stripes& stripes);

}  // namespace lq
