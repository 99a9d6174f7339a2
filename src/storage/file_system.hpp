// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What kind of file system a path is on, what is known of each kind, and the unit that two writers must not share:
// <limequat/file_system.hpp> for the library's own use.
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

// That of the device with this number that `path`, an absolute one without links, lies below; of several equals the
// last one, which hides the others. Where none is such, any of that device; empty texts if the table names none.
MountEntry mount_of(std::string_view mountinfo, unsigned major, unsigned minor, std::string_view path = {});

// How many there are of the device.
std::size_t count_mounts(std::string_view mountinfo, unsigned major, unsigned minor);

// The table of this process; empty where there is none.
std::string read_mountinfo();

// What is known of each kind of file system, whatever is mounted: one table.

inline constexpr std::uint64_t page = 4096;
inline constexpr std::uint32_t fuse_number = 0x65735546;
inline constexpr std::uint32_t any_number = 0;  // the type in the table of mounts decides alone

enum class Unit { fixed, preferred };  // preferred: at least what the file system likes to transfer

// Where stripes are asked.
enum class StripeSource {
  none,
  lustre,     // attribute lustre.lov, a structure
  beegfs,     // ioctl
  ceph,       // attributes ceph.file.layout and ceph.dir.layout, texts
  orangefs,   // attributes user.pvfs2.*, texts
  glusterfs,  // attribute glusterfs.pathinfo, a text that names servers: a file lies on one of them
};

struct Kind {
  std::string_view name;    // FileSystem::name; of FUSE, and of any number, the type in the table of mounts, too
  std::uint32_t number;     // that statfs gives
  std::string_view source;  // of FUSE without a type of its own: how the source in the table of mounts begins
  Unit unit;
  std::uint64_t block_bytes;
  bool is_shared;
  Known coherent;
  Known locks;
  bool allows_holes;
  StripeSource stripes = StripeSource::none;
  StripeControl control = StripeControl::none;
  bool stripes_are_targets = false;  // each stripe of a file lies on a target of its own
  // Its client fetches ahead for who reads one piece after the other, and for nobody else: threads that take turns in
  // one open file get half the rate of one thread (measured on ceph-fuse).
  bool reads_in_order = false;
  // Ranks of one client are faster where one of them writes for all, however long their rows are (measured on
  // GlusterFS: 1.2 times the rate of four; on ceph-fuse it would be 0.6 times).
  bool one_writer_is_best = false;
};

std::span<const Kind> kinds();

// Whether the number alone does not say which kind it is: that of FUSE, or one that is not known.
bool asks_for_mount(std::uint32_t number);
// Of a mount, which is looked at where the number asks for it.
const Kind& kind_of(std::uint32_t number, const MountEntry& mount);
// Of a name as in FileSystem::name.
const Kind& kind_named(std::string_view name);

// Whether it is more than "something unheard of", or FUSE of any kind.
constexpr bool is_known(const Kind& kind) { return kind.name != "unknown" && kind.name != "fuse"; }
// Whether two clients must not write into one block.
constexpr bool needs_single_owner(const Kind& kind) { return kind.is_shared && kind.coherent != Known::yes; }

// Local. As file_system_of.
FileSystem examine_whole_file_system(const std::string& path);
// Local. The same without what takes a look at the whole file system: mount, sizes and number of targets are known
// where they come for nothing.
FileSystem examine_file_system(const std::string& path);

// Whether what was read of a file before may be shown again although another client has written to it since: by FUSE
// and its like, for as long as attributes are taken for valid. Who opens a file there forgets its pages first; NFS does
// so by itself.
bool keeps_old_pages(const std::string& path, std::uint64_t device) noexcept;

// FileSystem::needs_single_owner of the file system of a name as in FileSystem::name; of one unheard of the worst is
// assumed.
bool needs_single_owner(std::string_view file_system_name);
ClientWrites client_writes(std::string_view file_system_name);
// Kind::reads_in_order of the same.
bool reads_in_order(std::string_view file_system_name);
// Of a call that the servers of the same are fast with, if blocks have so many bytes; 0: any.
std::uint64_t call_bytes(std::string_view file_system_name, std::uint64_t block_bytes);
// From how many bytes on clients of Lustre hand a call to the servers without their cache, the larger of both
// directions, as the files below this folder state it; 0: they do not.
std::uint64_t lustre_threshold(const std::string& folder = "/sys/fs/lustre/llite");

// What is known of a file system of this name with the given number of targets, without one.
FileSystem file_system_named(const std::string& name, std::uint64_t targets);
// On how many of them a new file with these stripes lies; 0: not known.
std::uint64_t targets_of_file(std::string_view file_system_name, const Stripes& stripes, std::uint64_t targets);

// What the system tells of a path, whatever is mounted.
struct SystemFacts {
  std::string path;                   // that exists
  std::uint32_t number = 0;           // of the kind of file system: statfs
  std::uint64_t preferred_bytes = 0;  // to transfer: stat
  std::uint64_t device = 0;
  std::uint64_t total_bytes = 0, free_bytes = 0;
  MountEntry mount;  // looked at for FUSE only
};
// These, what is known of their kind of file system, and what `calls` tell of the path.
FileSystem conclude(const SystemFacts& facts, StorageCalls& calls);

// Local. At the empty new file `path`: stripes for a file of this many bytes. `spare`: a free name next to it. Never
// fails; with is_set(), `path` may be another file afterwards.
struct Striped {
  Stripes stripes = {};
  FileSystem file_system = {};  // as it is for the file now
};
Striped set_stripes(const std::string& path, const std::string& spare, std::uint64_t file_bytes,
                    const StripeRequest& request);
// The same in the file system of these facts.
Stripes set_stripes(const FileSystem& file_system, const std::string& path, const std::string& spare,
                    std::uint64_t file_bytes, const StripeRequest& request, StorageCalls& calls);

}  // namespace lq::storage
