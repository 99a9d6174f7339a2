// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Kinds of file systems by the number that statfs gives them; FUSE, which is one number for many, by the mount table.
#include "storage/file_system.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/path.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace lq::storage {
namespace {

using base::kibi;
using base::mebi;
using enum Known;

constexpr std::array kind_table = {
    Kind{"tmpfs", 0x01021994, "", Unit::fixed, page, false, yes, no, true},
    Kind{"ramfs", 0x858458f6, "", Unit::fixed, page, false, yes, no, true},
    Kind{"ext4", 0x0000EF53, "", Unit::fixed, page, false, yes, no, true},
    Kind{"xfs", 0x58465342, "", Unit::fixed, page, false, yes, no, true},
    Kind{"btrfs", 0x9123683E, "", Unit::fixed, page, false, yes, no, true},
    Kind{"f2fs", 0xF2F52010, "", Unit::fixed, page, false, yes, no, true},
    Kind{"zfs", 0x2FC12FC1, "", Unit::preferred, 128 * kibi, false, yes, no, true},
    Kind{"overlay", 0x794c7630, "", Unit::fixed, page, false, yes, no, true},
    Kind{"vfat", 0x00004d44, "", Unit::fixed, page, false, yes, no, false},
    Kind{"exfat", 0x2011BAB0, "", Unit::fixed, page, false, yes, no, false},
    Kind{"lustre", 0x0BD00BD0, "", Unit::preferred, mebi, true, yes, yes, true, StripeSource::lustre,
         StripeControl::creation, true},
    Kind{"gpfs", 0x47504653, "", Unit::preferred, mebi, true, yes, yes, true},
    Kind{"beegfs", 0x19830326, "", Unit::preferred, 512 * kibi, true, yes, no, true, StripeSource::beegfs,
         StripeControl::creation, true},
    Kind{"ceph", 0x00C36400, "", Unit::preferred, 4 * mebi, true, yes, yes, true, StripeSource::ceph,
         StripeControl::new_file},
    Kind{"orangefs", 0x20030528, "", Unit::preferred, 64 * kibi, true, yes, no, true, StripeSource::orangefs,
         StripeControl::folder, true},
    Kind{"panfs", 0xAAD7AAEA, "", Unit::preferred, 64 * kibi, true, yes, unknown, true},
    Kind{"gfs2", 0x01161970, "", Unit::fixed, page, true, yes, yes, true},
    Kind{"ocfs2", 0x7461636f, "", Unit::preferred, page, true, yes, yes, true},
    // Recognised by the mount type, because these kernel modules do not publish their numbers. Weka's clients keep
    // their caches coherent in both mount modes; for ParaStor this is not documented.
    Kind{"wekafs", any_number, "", Unit::preferred, mebi, true, yes, unknown, true},
    Kind{"parastor", any_number, "", Unit::preferred, mebi, true, unknown, unknown, true},
    // Their clients cache pages without informing other clients.
    Kind{"nfs", 0x00006969, "", Unit::fixed, 64 * kibi, true, no, no, true},
    Kind{"9p", 0x01021997, "", Unit::fixed, 64 * kibi, true, no, no, true},
    Kind{"cifs", 0xFF534D42, "", Unit::fixed, 64 * kibi, true, no, no, false},
    Kind{"smb2", 0xFE534D42, "", Unit::fixed, 64 * kibi, true, no, no, false},
    Kind{"afs", 0x5346414F, "", Unit::fixed, 64 * kibi, true, no, no, false},
    // FUSE, one number for many. Ceph's clients hold capabilities there as well. For most of the others, kernel
    // writeback of cached pages is a mount option that no client can query.
    Kind{"fuse.ceph-fuse", fuse_number, "", Unit::preferred, 64 * kibi, true, yes, yes, true, StripeSource::ceph,
         StripeControl::new_file, false, true},
    Kind{"fuse.ceph", fuse_number, "", Unit::preferred, 64 * kibi, true, yes, yes, true, StripeSource::ceph,
         StripeControl::new_file, false, true},
    Kind{"fuse.glusterfs", fuse_number, "", Unit::fixed, 64 * kibi, true, unknown, no, true, StripeSource::glusterfs,
         StripeControl::none, false, false, true},
    // dfuse of DAOS writes back pages unless it was started with --disable-wb-cache; it has neither flock() nor hard
    // links.
    Kind{"fuse.daos", any_number, "", Unit::preferred, mebi, true, unknown, no, true},
    Kind{"pvfs2fuse", fuse_number, "pvfs2fuse#", Unit::fixed, 64 * kibi, true, unknown, no, true},
    Kind{"fuse", fuse_number, "", Unit::fixed, 64 * kibi, true, unknown, unknown, true},
};
// For an unknown file system the worst is assumed.
constexpr Kind unknown_kind = {"unknown", any_number, "", Unit::preferred, 64 * kibi, true, unknown, unknown, false};

bool is_kind(const Kind& kind, std::uint32_t number, const MountEntry& mount) {
  if (kind.number == any_number) return mount.type == kind.name;
  if (kind.number != number) return false;
  if (number != fuse_number || kind.name == "fuse") return true;
  return kind.source.empty() ? mount.type == kind.name : mount.source.starts_with(kind.source);
}

}  // namespace

std::span<const Kind> kinds() { return kind_table; }

bool needs_mount_table(std::uint32_t number) {
  return number == fuse_number || number == any_number ||
         std::ranges::find(kind_table, number, &Kind::number) == kind_table.end();
}

const Kind& kind_of(std::uint32_t number, const MountEntry& mount) {
  const auto* found = std::ranges::find_if(kind_table, [&](const Kind& kind) { return is_kind(kind, number, mount); });
  return found == kind_table.end() ? unknown_kind : *found;
}

const Kind& kind_named(std::string_view name) {
  const auto* found = std::ranges::find(kind_table, name, &Kind::name);
  return found == kind_table.end() ? unknown_kind : *found;
}

namespace {

// The nearest existing part of the path: the path itself or its folder.
std::string nearest_existing(const std::string& path, struct stat& status) {
  if (::stat(path.c_str(), &status) == 0) return path;
  if (errno != ENOENT) throw base::errno_error(path, "examine its file system", errno);
  const std::string folder = base::directory_of(path);
  if (::stat(folder.c_str(), &status) == 0) return folder;
  throw base::errno_error(folder, "examine its file system", errno);
}

std::uint64_t bytes_of_blocks(std::uint64_t blocks, std::uint64_t block_bytes) {
  return base::checked_multiply(blocks, block_bytes).value_or(~std::uint64_t{0});
}

// Stripes that are not a multiple of a page, or absurdly large, are ignored.
bool is_plausible_block(std::uint64_t bytes) { return bytes >= page && bytes % page == 0 && bytes <= base::gibi; }

MountEntry find_mount(const std::string& path, dev_t device) {
  const auto [major_number, minor_number] = base::device_numbers(device);
  const std::string table = read_mountinfo();
  const bool is_only_one = count_mounts(table, major_number, minor_number) == 1;
  // Links are resolved only if it matters. If that fails, any mount of the device is used.
  const std::unique_ptr<char, decltype(&std::free)> place(is_only_one ? nullptr : ::realpath(path.c_str(), nullptr),
                                                          &std::free);
  return mount_of(table, major_number, minor_number, place == nullptr ? "" : place.get());
}

// statfs queries all servers.
void query_numbers(SystemFacts& facts) {
  base::FileSystemNumbers about;
  if (base::file_system_numbers(facts.path.c_str(), about) != 0) {
    throw base::errno_error(facts.path, "examine its file system", errno);
  }
  facts.number = about.kind;
  facts.total_bytes = bytes_of_blocks(about.units, about.unit_bytes);
  facts.free_bytes = bytes_of_blocks(about.available_units, about.unit_bytes);
  if (!about.type.empty()) facts.mount = {.type = about.type, .source = about.source, .point = about.point};
}

// The last device that statfs reported as not FUSE, so that statfs is tried first next time: the table of mounts is a
// long text. Only a guess, because the number may belong to another file system by then, which statfs reports again.
std::atomic<dev_t> last_not_fuse{0};

bool is_fuse(const MountEntry& mount) { return mount.type == "fuse" || mount.type.starts_with("fuse."); }

SystemFacts ask_system(const std::string& path, bool is_whole) {
  SystemFacts facts;
  struct stat status {};
  facts.path = nearest_existing(path, status);
  facts.preferred_bytes = static_cast<std::uint64_t>(std::max<decltype(status.st_blksize)>(status.st_blksize, 0));
  facts.device = static_cast<std::uint64_t>(status.st_dev);  // has a sign on macOS
  // A file system without a device may be FUSE, which requires the table of mounts in any case.
  const bool may_be_fuse = base::device_numbers(status.st_dev).major == 0 && status.st_dev != last_not_fuse;
  if (is_whole || may_be_fuse) facts.mount = find_mount(facts.path, status.st_dev);
  if (!is_whole && is_fuse(facts.mount)) {
    facts.number = fuse_number;
    return facts;
  }
  query_numbers(facts);
  if (facts.number != fuse_number && may_be_fuse) last_not_fuse = status.st_dev;
  if (needs_mount_table(facts.number) && facts.mount.type.empty()) facts.mount = find_mount(facts.path, status.st_dev);
  return facts;
}

// A folder has a layout only if it was set explicitly; folders created in it inherit it.
std::optional<Layout> ceph_layout_of_folder(const std::string& path, const std::string& mount_point,
                                            StorageCalls& calls) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  std::string folder = real == nullptr ? path : real.get();
  for (;;) {
    if (auto layout = parse_ceph_layout(base::as_text(calls.attribute(folder, "ceph.dir.layout")))) return layout;
    const std::string above = base::directory_of(folder);
    const bool is_in_mount = above == mount_point || above.starts_with(mount_point + "/");
    if (mount_point.empty() || !is_in_mount || above == folder) return std::nullopt;
    folder = above;
  }
}

std::optional<Layout> layout_of(const std::string& path, StripeSource source, const std::string& mount_point,
                                StorageCalls& calls) {
  const auto text = [&](const char* name) { return std::string(base::as_text(calls.attribute(path, name))); };
  switch (source) {
    case StripeSource::lustre:
      return parse_lustre_layout(calls.attribute(path, "lustre.lov"));
    case StripeSource::beegfs:
      if (const std::optional<BeegfsStripes> answer = calls.beegfs_stripes(path)) return parse_beegfs_stripes(*answer);
      return std::nullopt;
    case StripeSource::ceph:
      if (auto of_file = parse_ceph_layout(text("ceph.file.layout"))) return of_file;
      return ceph_layout_of_folder(path, mount_point, calls);
    case StripeSource::orangefs:
      return parse_orangefs_layout(text("user.pvfs2.dist_params"), text("user.pvfs2.num_dfiles"));
    case StripeSource::glusterfs:
    case StripeSource::none:
      break;
  }
  return std::nullopt;
}

void take_layout(FileSystem& result, const Layout& layout, bool stripes_are_targets) {
  if (is_plausible_block(layout.stripe_bytes)) result.block_bytes = result.stripe_bytes = layout.stripe_bytes;
  result.stripe_count = layout.stripe_count;
  result.object_bytes = layout.object_bytes;
  result.pool = layout.pool;
  result.is_progressive = layout.is_progressive;
  if (stripes_are_targets) result.targets_of_file = layout.stripe_count;
}

std::string folder_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) ? path : base::directory_of(path);
}

// The targets of the whole file system.
void count_targets(FileSystem& result, const std::string& path, StorageCalls& calls) {
  const Kind& kind = kind_named(result.name);
  if (kind.stripes == StripeSource::lustre) result.targets = calls.lustre_targets(result.mount_point);
  if (kind.stripes != StripeSource::glusterfs) return;
  // The pathinfo of a folder lists all bricks, that of a file its own.
  std::vector<std::byte> pathinfo = calls.attribute(folder_of(path), "glusterfs.pathinfo");
  if (pathinfo.empty()) pathinfo = calls.attribute(folder_of(path), "trusted.glusterfs.pathinfo");
  result.servers = parse_gluster_bricks(base::as_text(pathinfo));
  result.targets = result.servers.size();
}

// Facts that follow from the kind alone.
FileSystem concluded(const Kind& kind, const std::string& name) {
  FileSystem result;
  result.name = name;
  result.block_bytes = kind.block_bytes;
  result.is_shared = kind.is_shared;
  if (is_known(kind)) result.network = kind.is_shared ? Known::yes : Known::no;
  result.needs_single_owner = needs_single_owner(kind);
  result.allows_holes = kind.allows_holes;
  result.coherent = kind.coherent;
  result.locks = kind.locks;
  result.stripe_control = kind.control;
  if (kind.is_shared) result.stripe_count = 0;
  return result;
}

}  // namespace

bool needs_single_owner(std::string_view file_system_name) { return needs_single_owner(kind_named(file_system_name)); }

ClientWrites client_writes(std::string_view file_system_name) {
  const Kind& kind = kind_named(file_system_name);
  if (kind.one_writer_is_best) return ClientWrites::best_by_one;
  const bool is_fuse = file_system_name.starts_with("fuse.") || kind.number == fuse_number;
  return is_fuse ? ClientWrites::in_turn : ClientWrites::at_once;
}

bool reads_in_order(std::string_view file_system_name) { return kind_named(file_system_name).reads_in_order; }

// For servers with large blocks that clients report. Published results, by the authors of Lustre and of Grid, are best
// with calls of 4 MiB and more on Lustre, which passes calls of this size to its servers without caching.
std::uint64_t call_bytes(std::string_view file_system_name, std::uint64_t block_bytes) {
  constexpr std::uint64_t large_block = 512 * kibi;
  const Kind& kind = kind_named(file_system_name);
  const std::uint64_t block = std::max(kind.block_bytes, block_bytes);
  if (!kind.is_shared || kind.unit == Unit::fixed || block < large_block) return 0;
  static const std::uint64_t threshold = lustre_threshold();
  const std::uint64_t wanted = kind.name == "lustre" ? std::max(block, threshold) : block;
  return std::clamp(wanted, 4 * mebi, 8 * mebi);
}

std::uint64_t lustre_threshold(const std::string& folder) {
  std::uint64_t largest = 0;
  std::vector<std::string> mounts;
  base::names_in(folder, mounts);
  for (const std::string& mount : mounts) {
    for (const char* direction : {"read", "write"}) {
      std::uint64_t bytes = 0;
      std::ifstream(fmt::format("{}/{}/hybrid_io_{}_threshold_bytes", folder, mount, direction)) >> bytes;
      largest = std::max(largest, bytes);
    }
  }
  return largest;
}

FileSystem file_system_named(const std::string& name, std::uint64_t targets) {
  FileSystem result = concluded(kind_named(name), name);
  result.targets = targets;
  return result;
}

std::uint64_t targets_of_file(std::string_view file_system_name, const Stripes& stripes, std::uint64_t targets) {
  if (!kind_named(file_system_name).stripes_are_targets) return 0;
  return stripes.is_set() ? stripes.count : targets;
}

FileSystem conclude(const SystemFacts& facts, StorageCalls& calls) {
  const Kind& kind = kind_of(facts.number, facts.mount);
  std::string name(kind.name);
  if (kind.name == "unknown") name = base::hex32(facts.number).insert(0, "0x");
  if (kind.name == "fuse" && !facts.mount.type.empty()) name = facts.mount.type;
  FileSystem result = concluded(kind, name);
  if (kind.unit == Unit::preferred && is_plausible_block(facts.preferred_bytes)) {
    result.block_bytes = std::max(result.block_bytes, facts.preferred_bytes);
  }
  result.device = facts.device;
  result.total_bytes = facts.total_bytes;
  result.free_bytes = facts.free_bytes;
  result.mount_point = facts.mount.point;
  result.source = facts.mount.source;
  if (const auto layout = layout_of(facts.path, kind.stripes, facts.mount.point, calls)) {
    take_layout(result, *layout, kind.stripes_are_targets);
  }
  return result;
}

FileSystem examine_whole_file_system(const std::string& path) {
  FileSystem result = conclude(ask_system(path, true), system_calls());
  count_targets(result, path, system_calls());
  return result;
}

FileSystem examine_file_system(const std::string& path) { return conclude(ask_system(path, false), system_calls()); }

bool keeps_old_pages(const std::string& path, std::uint64_t device) noexcept {
  if (base::device_numbers(static_cast<dev_t>(device)).major != 0) return false;
  // The answers for some devices: twice the number, plus one for yes, plus two because 0 is none.
  static std::array<std::atomic<std::uint64_t>, 16> answers{};
  std::atomic<std::uint64_t>& answer = answers[device % answers.size()];
  const std::uint64_t no = 2 * device + 2, yes = no + 1;
  if (const std::uint64_t known = answer; known == no || known == yes) return known == yes;
  try {
    const MountEntry mount = find_mount(path, static_cast<dev_t>(device));
    const bool is_like_fuse = mount.type == "9p" || mount.type == "virtiofs";
    const bool found = is_like_fuse || (is_fuse(mount) && needs_single_owner(kind_of(fuse_number, mount)));
    answer = found ? yes : no;
    return found;
  } catch (...) {
    return false;  // asked again next time
  }
}

}  // namespace lq::storage

namespace lq {

FileSystem file_system_of(const std::string& path) { return storage::examine_whole_file_system(path); }

}  // namespace lq
