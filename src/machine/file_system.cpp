// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Kinds of file systems by the number that statfs gives them; FUSE, which is one number for many, by the mount table.
#include "machine/file_system.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/error_errno.hpp"
#include "base/path.hpp"
#include "base/text.hpp"
#include "machine/layout.hpp"

namespace lq::machine {
namespace {

using base::kibi;
using base::mebi;

constexpr std::uint64_t page = 4096;
constexpr std::uint32_t fuse_number = 0x65735546;

enum class Unit { fixed, preferred };  // preferred: at least what the file system likes to transfer

struct Kind {
  std::uint32_t number;
  const char* name;
  Unit unit;
  std::uint64_t block_bytes;
  bool is_shared;
  bool needs_single_owner;
  bool allows_holes;
};

constexpr Kind kinds[] = {
    {0x01021994, "tmpfs", Unit::fixed, page, false, false, true},
    {0x858458f6, "ramfs", Unit::fixed, page, false, false, true},
    {0x0000EF53, "ext4", Unit::fixed, page, false, false, true},
    {0x58465342, "xfs", Unit::fixed, page, false, false, true},
    {0x9123683E, "btrfs", Unit::fixed, page, false, false, true},
    {0xF2F52010, "f2fs", Unit::fixed, page, false, false, true},
    {0x2FC12FC1, "zfs", Unit::preferred, 128 * kibi, false, false, true},
    {0x794c7630, "overlay", Unit::fixed, page, false, false, true},
    {0x00004d44, "vfat", Unit::fixed, page, false, false, false},
    {0x2011BAB0, "exfat", Unit::fixed, page, false, false, false},
    {0x0BD00BD0, "lustre", Unit::preferred, mebi, true, false, true},
    {0x47504653, "gpfs", Unit::preferred, mebi, true, false, true},
    {0x19830326, "beegfs", Unit::preferred, 512 * kibi, true, false, true},
    {0x00C36400, "ceph", Unit::preferred, 4 * mebi, true, false, true},
    {0x20030528, "orangefs", Unit::preferred, 64 * kibi, true, false, true},
    {0xAAD7AAEA, "panfs", Unit::preferred, 64 * kibi, true, false, true},
    {0x01161970, "gfs2", Unit::fixed, page, true, false, true},
    {0x7461636f, "ocfs2", Unit::preferred, page, true, false, true},
    // Their clients cache pages, and nobody tells the others.
    {0x00006969, "nfs", Unit::fixed, 64 * kibi, true, true, true},
    {0x01021997, "9p", Unit::fixed, 64 * kibi, true, true, true},
    {0xFF534D42, "cifs", Unit::fixed, 64 * kibi, true, true, false},
    {0xFE534D42, "smb2", Unit::fixed, 64 * kibi, true, true, false},
    {0x5346414F, "afs", Unit::fixed, 64 * kibi, true, true, false},
    {fuse_number, "fuse", Unit::fixed, 64 * kibi, true, true, true},
};
// Of something unheard of the worst is assumed.
constexpr Kind unknown_kind = {0, "unknown", Unit::preferred, 64 * kibi, true, true, false};

const Kind& kind_of(std::uint32_t number) {
  const auto* found =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return k.number == number; });
  return found == std::end(kinds) ? unknown_kind : *found;
}

// What there is of the path: itself or its folder.
std::string nearest_existing(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return path;
  if (errno != ENOENT) throw base::errno_error(path, "examine its file system", errno);
  return base::directory_of(path);
}

std::vector<std::byte> attribute(const std::string& path, const char* name) {
  std::vector<std::byte> value(64 * kibi);
  const ssize_t bytes = ::getxattr(path.c_str(), name, value.data(), value.size());
  value.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return value;
}

std::optional<Layout> layout_of(const std::string& path, const std::string& name) {
  const auto text = [&](const char* attribute_name) {
    const std::vector<std::byte> bytes = attribute(path, attribute_name);
    return std::string(base::as_text(bytes));
  };
  if (name == "lustre") return parse_lustre_layout(attribute(path, "lustre.lov"));
  if (name == "orangefs") return parse_orangefs_layout(text("user.pvfs2.dist_params"), text("user.pvfs2.num_dfiles"));
  if (name.find("ceph") == std::string::npos) return std::nullopt;
  // A folder has one only where somebody set it.
  const auto file = parse_ceph_layout(text("ceph.file.layout.stripe_unit"), text("ceph.file.layout.stripe_count"));
  return file ? file : parse_ceph_layout(text("ceph.dir.layout.stripe_unit"), text("ceph.dir.layout.stripe_count"));
}

std::string name_of_fuse(const struct stat& status) {
  std::ifstream table("/proc/self/mountinfo", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(table), std::istreambuf_iterator<char>()};
  const std::string type = type_of_mount(text, gnu_dev_major(status.st_dev), gnu_dev_minor(status.st_dev));
  return type.empty() ? "fuse" : type;
}

// Stripes that are no multiple of a page, or absurdly large, are not believed.
bool is_plausible_block(std::uint64_t bytes) { return bytes >= page && bytes % page == 0 && bytes <= 1024 * mebi; }

std::uint64_t bytes_of_blocks(std::uint64_t blocks, std::uint64_t block_bytes) {
  return base::checked_multiply(blocks, block_bytes).value_or(~std::uint64_t{0});
}

}  // namespace

bool needs_single_owner(std::string_view file_system_name) {
  // Ceph's clients hold capabilities, those in user space, too.
  if (file_system_name.find("ceph") != std::string_view::npos) return false;
  const auto* found =
      std::ranges::find(kinds, file_system_name, [](const Kind& kind) { return std::string_view(kind.name); });
  return found == std::end(kinds) || found->needs_single_owner;
}

FileSystem examine_file_system(const std::string& path) {
  const std::string place = nearest_existing(path);
  struct statfs facts {};
  struct stat status {};
  if (::statfs(place.c_str(), &facts) != 0 || ::stat(place.c_str(), &status) != 0) {
    throw base::errno_error(place, "examine its file system", errno);
  }
  const auto number = static_cast<std::uint32_t>(facts.f_type);
  const Kind& kind = kind_of(number);
  FileSystem result;
  result.name = kind.number == 0 ? "0x" + base::hex32(number) : kind.name;
  if (number == fuse_number) result.name = name_of_fuse(status);
  result.block_bytes = kind.block_bytes;
  result.is_shared = kind.is_shared;
  result.needs_single_owner = needs_single_owner(result.name);
  result.allows_holes = kind.allows_holes;
  result.device = status.st_dev;
  const auto preferred = static_cast<std::uint64_t>(std::max<blksize_t>(status.st_blksize, 0));
  if (kind.unit == Unit::preferred && is_plausible_block(preferred)) {
    result.block_bytes = std::max(result.block_bytes, preferred);
  }
  if (kind.is_shared) result.stripe_count = 0;
  if (const std::optional<Layout> layout = layout_of(place, result.name)) {
    if (is_plausible_block(layout->stripe_bytes)) result.block_bytes = layout->stripe_bytes;
    result.stripe_count = layout->stripe_count;
  }
  const auto unit = static_cast<std::uint64_t>(std::max<decltype(facts.f_bsize)>(facts.f_bsize, 0));
  result.total_bytes = bytes_of_blocks(facts.f_blocks, unit);
  result.free_bytes = bytes_of_blocks(facts.f_bavail, unit);
  return result;
}

// Lines like "36 35 98:0 /root /mnt rw,noatime master:1 - ext4 /dev/sda1 rw": the third word is the device, the type
// follows the lone dash, behind any number of optional words.
std::string type_of_mount(std::string_view mountinfo, unsigned major, unsigned minor) {
  const std::string device = std::to_string(major) + ":" + std::to_string(minor);
  std::string type;
  while (!mountinfo.empty()) {
    const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    const std::vector<std::string_view> words = base::split_words(mountinfo.substr(0, end));
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    if (words.size() < 7 || words[2] != device) continue;
    const auto dash = std::find(words.begin() + 6, words.end(), "-");
    if (words.end() - dash > 1) type = *(dash + 1);
  }
  return type;
}

}  // namespace lq::machine
