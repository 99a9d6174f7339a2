// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which file it is: numbers of the system, compared.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>

#include "base/error_errno.hpp"
#include "storage/posix_file.hpp"

namespace lq::storage {
namespace {

std::int64_t nanoseconds(const statx_timestamp& time) noexcept {
  return time.tv_sec * 1'000'000'000 + static_cast<std::int64_t>(time.tv_nsec);
}

Looked look(int directory, const char* name, int flags, const std::string& path) {
  struct statx status {};
  if (::statx(directory, name, flags, STATX_BASIC_STATS | STATX_BTIME, &status) != 0) {
    throw base::errno_error(path, "look it up", errno);
  }
  return {{.device = makedev(status.stx_dev_major, status.stx_dev_minor),
           .inode = status.stx_ino,
           .created = (status.stx_mask & STATX_BTIME) != 0 ? nanoseconds(status.stx_btime) : 0,
           .bytes = status.stx_size,
           .modified = nanoseconds(status.stx_mtime)},
          status.stx_mode};
}

}  // namespace

bool is_same_file(const Identity& a, const Identity& b) noexcept {
  return a.device == b.device && a.inode == b.inode && a.created == b.created;
}

bool is_same_across_nodes(const Identity& a, const Identity& b) noexcept {
  return a.inode == b.inode && (a.created == b.created || a.created == 0 || b.created == 0);
}

bool is_unchanged(const Identity& before, const Identity& now) noexcept {
  return is_same_file(before, now) && before.bytes == now.bytes && before.modified == now.modified;
}

Looked look_at(int descriptor, const std::string& path) { return look(descriptor, "", AT_EMPTY_PATH, path); }

Identity identity_of_name(const std::string& path) {
  return look(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, path).identity;
}

}  // namespace lq::storage
