// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The kind of file system of a path, the facts known of each kind, and the unit that two writers must not share:
// <limequat/file_system.hpp> for internal use.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <limequat/file_system.hpp>

#include "storage/stripes.hpp"
#include "storage/transport.hpp"

namespace lq::storage {

// The system's table of mounts, in the form of /proc/self/mountinfo.
struct MountEntry {
  std::string type;    // "ext4", "fuse.glusterfs"
  std::string source;  // "/dev/sda1", "host:/volume"
  std::string point;
};

// The entry that contains `path` (absolute, without links) among those of the device with this number; of several equal
// ones the last, which hides the others. If none contains it, any entry of the device; empty texts if there is no
// entry.
MountEntry mount_of(std::string_view mountinfo, unsigned major, unsigned minor, std::string_view path = {});

// Number of mounts of the device.
std::size_t count_mounts(std::string_view mountinfo, unsigned major, unsigned minor);

// The table of this process; empty if not available.
std::string read_mountinfo();

// Facts about each kind of file system, independent of what is mounted: one table.

inline constexpr std::uint64_t page = 4096;
inline constexpr std::uint32_t fuse_number = 0x65735546;
inline constexpr std::uint32_t any_number = 0;  // the type in the table of mounts decides alone

enum class Unit { fixed, preferred };  // preferred: at least the preferred transfer size

// Source of the stripes of a file.
enum class StripeSource {
  none,
  lustre,     // attribute lustre.lov, a structure
  beegfs,     // ioctl
  ceph,       // attributes ceph.file.layout and ceph.dir.layout, texts
  orangefs,   // attributes user.pvfs2.*, texts
  glusterfs,  // attribute glusterfs.pathinfo, a text that names servers: a file is on one of them
};

struct Kind {
  std::string_view name;    // FileSystem::name; for FUSE and any_number also the type in the table of mounts
  std::uint32_t number;     // as returned by statfs
  std::string_view source;  // FUSE without a type of its own: prefix of the source in the table of mounts
  Unit unit;
  std::uint64_t block_bytes;
  bool is_shared;
  Known coherent;
  Known locks;
  bool allows_holes;
  StripeSource stripes = StripeSource::none;
  StripeControl control = StripeControl::none;
  bool stripes_are_targets = false;  // each stripe of a file is on a separate target
  // Its client prefetches only sequential reads: threads that alternate in one open file get half the rate of one
  // thread (measured on ceph-fuse).
  bool reads_in_order = false;
  // Ranks of one client are faster if one of them writes for all, however long their rows are (measured on GlusterFS:
  // 1.2 times the rate of four; on ceph-fuse it would be 0.6 times).
  bool one_writer_is_best = false;
};

std::span<const Kind> kinds();

// True if the number alone does not determine the kind: that of FUSE, or an unknown one.
bool needs_mount_table(std::uint32_t number);
// The kind of a mount; `mount` is used only if the number requires it.
const Kind& kind_of(std::uint32_t number, const MountEntry& mount);
// The kind with a name as in FileSystem::name.
const Kind& kind_named(std::string_view name);

// False for unknown file systems and for FUSE of any kind.
constexpr bool is_known(const Kind& kind) { return kind.name != "unknown" && kind.name != "fuse"; }
// True if two clients must not write into one block.
constexpr bool needs_single_owner(const Kind& kind) { return kind.is_shared && kind.coherent != Known::yes; }

// Local. The same as file_system_of.
FileSystem examine_whole_file_system(const std::string& path);
// Local. The same without queries to the whole file system: mount, sizes and number of targets are filled in only if
// they are available at no cost.
FileSystem examine_file_system(const std::string& path);

// True if cached pages of a file may be stale after another client has written to it: with FUSE and similar systems,
// for as long as attributes are considered valid. Opening a file there drops its pages first; NFS does so itself.
bool keeps_old_pages(const std::string& path, std::uint64_t device) noexcept;

// FileSystem::needs_single_owner for a file system with this name (FileSystem::name); for unknown ones the worst is
// assumed.
bool needs_single_owner(std::string_view file_system_name);
ClientWrites client_writes(std::string_view file_system_name);
// Kind::reads_in_order of the same.
bool reads_in_order(std::string_view file_system_name);
// Size of a call with which the servers of that file system are fast, given its block size; 0: any.
std::uint64_t call_bytes(std::string_view file_system_name, std::uint64_t block_bytes);
// Size from which clients of Lustre pass a call to the servers without caching, the larger of both directions, as
// stated in the files below this folder; 0: they do not.
std::uint64_t lustre_threshold(const std::string& folder = "/sys/fs/lustre/llite");

// The known facts about a file system of this name with the given number of targets, without accessing one.
FileSystem file_system_named(const std::string& name, std::uint64_t targets);
// Number of these targets that a new file with these stripes uses; 0: unknown.
std::uint64_t targets_of_file(std::string_view file_system_name, const Stripes& stripes, std::uint64_t targets);

// Facts that the operating system reports for a path, whatever is mounted.
struct SystemFacts {
  std::string path;                   // an existing path
  std::uint32_t number = 0;           // kind of file system, from statfs
  std::uint64_t preferred_bytes = 0;  // preferred transfer size, from stat
  std::uint64_t device = 0;
  std::uint64_t total_bytes = 0, free_bytes = 0;
  MountEntry mount;  // set for FUSE only
};
// Combines these facts, those known about the kind of file system, and the answers of `calls` for the path.
FileSystem conclude(const SystemFacts& facts, StorageCalls& calls);

// Local. Sets stripes at the empty new file `path` for a file of this many bytes. `spare`: a free name next to it.
// Never fails; if is_set(), `path` may be another file afterwards.
struct Striped {
  Stripes stripes = {};
  FileSystem file_system = {};  // as it now is for the file
};
Striped set_stripes(const std::string& path, const std::string& spare, std::uint64_t file_bytes,
                    const StripeRequest& request);
// The same in the file system of these facts.
Stripes set_stripes(const FileSystem& file_system, const std::string& path, const std::string& spare,
                    std::uint64_t file_bytes, const StripeRequest& request, StorageCalls& calls);

}  // namespace lq::storage
