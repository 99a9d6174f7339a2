// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The known properties of the file system of a path, and the stripes that a new file on it gets. Properties that a
// system does not report are unknown, never guessed, and transfers assume the worst case.
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
  none,      // no user: it has no stripes, or the administrator has set them for all files
  folder,    // the folder in which it is created
  new_file,  // its creator, before it has data
  creation,  // its creator, when it is created
};
LQ_API std::string_view name(StripeControl control) noexcept;  // "none", "folder", "new-file", "creation"

struct FileSystem {
  // "tmpfs", "ext4", "xfs", "btrfs", "lustre", "gpfs", "beegfs", "ceph", "orangefs", "panfs", "nfs", the name in the
  // mount table ("fuse.glusterfs", "virtiofs"), "pvfs2fuse", otherwise the system's number for it ("0x6a656a63").
  std::string name = "unknown";
  std::uint64_t block_bytes = 4096;  // page, lock unit or stripe: a multiple of 4096
  std::uint64_t stripe_count = 1;    // servers that a new file is distributed over; 0: not known, or all
  bool is_shared = false;            // several nodes see it, or this is unknown
  // Client caches are not coherent: no two writers in one block, every writer syncs, readers on other nodes open the
  // file again.
  bool needs_single_owner = false;
  bool allows_holes = true;  // unwritten parts take no space and read as zeros
  std::uint64_t device = 0;  // of the mount, as this node numbers them: two mounts are two clients
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  // for this user; neither quotas nor one full server of several are visible

  std::string mount_point = {};     // from the mount table; empty: not known
  std::string source = {};          // what is mounted there: "/dev/sda1", "host:/volume"
  Known network = Known::unknown;   // several nodes see it
  Known coherent = Known::unknown;  // every client sees what another has written
  Known locks = Known::unknown;     // clients lock the bytes that they write, so that two in one block wait
  StripeControl stripe_control = StripeControl::none;
  std::uint64_t stripe_bytes = 0;         // of a new file; 0: none, or not known
  std::uint64_t object_bytes = 0;         // CephFS: of the objects that hold the stripes; 0: no objects
  std::string pool = {};                  // that stores its data; empty: not reported
  bool is_progressive = false;            // the folder makes stripes grow with the file: they are not changed
  std::uint64_t targets = 0;              // on which files may be stored, in servers; 0: not known
  std::uint64_t targets_of_file = 0;      // on which a new file is stored; 0: not known
  std::vector<std::string> servers = {};  // their names, if reported
};

// Local. `path` is a file or a folder; if the file does not exist yet, its folder is examined. Sources: statfs, the
// mount table, extended attributes, an ioctl on BeeGFS, and on Lustre its library if installed. not_found,
// no_permission, io: the path cannot be examined.
LQ_API FileSystem file_system_of(const std::string& path);
// Local. Lines of "what  fact" for people, two spaces before each.
LQ_API std::string describe(const FileSystem& file_system);
// Local. docs/reference/json.md.
LQ_API std::string to_json(const FileSystem& file_system);

// The requested stripes of a new file; zeros: no request.
struct StripeRequest {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  // of a stripe
  bool by_size = true;      // without a request, they are set by the size of the file
};

enum class StripeReason {
  no_stripes,      // the file system has none, or none that a program can set
  folder_decides,  // they are set on the folder
  progressive,     // they grow with the file
  size_unknown,    // the size is unknown, and nothing was requested
  left,            // nothing was requested, and a change would gain nothing
  fitting,         // they were right already
  by_size,         // set by the size of the file
  asked,           // set as requested
  refused,         // by the file system
};
LQ_API std::string_view name(StripeReason reason) noexcept;  // "no-stripes", "by-size", ...

// The stripes that a new file gets, or has got.
struct Stripes {
  StripeReason reason = StripeReason::no_stripes;
  std::uint64_t count = 0;  // 0: not known
  std::uint64_t bytes = 0;  // of a stripe; 0: not known
  int system_errno = 0;     // with refused

  bool is_set() const noexcept { return reason == StripeReason::by_size || reason == StripeReason::asked; }
};
// Local. The stripes that a file of `file_bytes` gets. On Lustre small files get one stripe, others one for each 64
// MiB; on other file systems stripes are set only if requested.
LQ_API Stripes stripes_for(const FileSystem& file_system, std::uint64_t file_bytes, const StripeRequest& request = {});
// "8 of 1 MiB, set by the size of the file"
LQ_API std::string to_string(const Stripes& stripes);
LQ_API std::string to_json(const Stripes& stripes);

}  // namespace lq
