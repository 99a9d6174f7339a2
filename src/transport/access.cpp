// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Access rights, taken from one file and given to another by its descriptor: the name could have become another file's.
#include "transport/access.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/error_errno.hpp"
#include "transport/posix_file.hpp"

namespace lq::transport {
namespace {

// A POSIX access control list as Linux keeps it (include/uapi/linux/posix_acl_xattr.h): a version, then entries of a
// tag, permissions and the number of a user or group, all little-endian.
constexpr const char* list_attribute = "system.posix_acl_access";
constexpr std::size_t header_bytes = 4, entry_bytes = 8, permissions_offset = 2;
constexpr std::array owning_group{std::byte{0x04}, std::byte{0}};  // ACL_GROUP_OBJ

using AccessList = std::vector<std::byte>;

// What the owning group may do by a list. The group's bits of the mode are then those of the list's mask.
std::byte* permissions_of_group(AccessList& list) noexcept {
  for (std::size_t at = header_bytes; at + entry_bytes <= list.size(); at += entry_bytes) {
    if (std::equal(owning_group.begin(), owning_group.end(), list.data() + at))
      return list.data() + at + permissions_offset;
  }
  return nullptr;
}

// Nothing: the mode says all, or the file system has no lists.
std::optional<AccessList> list_of(const std::string& path) {
  AccessList list(4096);
  ssize_t bytes = ::getxattr(path.c_str(), list_attribute, list.data(), list.size());
  if (bytes < 0 && errno == ERANGE) {
    list.resize(std::size_t{64} * 1024);  // the largest value of an attribute
    bytes = ::getxattr(path.c_str(), list_attribute, list.data(), list.size());
  }
  if (bytes < 0 && (errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS)) return std::nullopt;
  if (bytes < 0) throw base::errno_error(path, "read its access control list", errno);
  list.resize(static_cast<std::size_t>(bytes));
  return list;
}

// Whether the file is now of that group.
bool give_to(int descriptor, const struct stat& status) noexcept {
  if (::fchown(descriptor, status.st_uid, status.st_gid) == 0) return true;
  if (::fchown(descriptor, static_cast<uid_t>(-1), status.st_gid) == 0) return true;
  struct stat now {};
  return ::fstat(descriptor, &now) == 0 && now.st_gid == status.st_gid;
}

}  // namespace

void copy_access(const std::string& from, const std::string& to) {
  struct stat status {};
  if (::stat(from.c_str(), &status) != 0) throw base::errno_error(from, "read its permissions", errno);
  std::optional<AccessList> list = list_of(from);
  PosixFile file(to);
  if (!file.open(O_RDONLY | O_NOFOLLOW | O_NONBLOCK)) throw base::errno_error(to, "set its permissions", errno);
  const bool keeps_group = give_to(file.descriptor(), status);

  std::byte* const group = list ? permissions_of_group(*list) : nullptr;
  if (group != nullptr && !keeps_group) *group = std::byte{0};
  if (list && ::fsetxattr(file.descriptor(), list_attribute, list->data(), list->size(), 0) == 0) return;

  // Without the list its mask would become the rights of the group; a list that the folder gave goes, too.
  ::fremovexattr(file.descriptor(), list_attribute);
  mode_t mode = status.st_mode & 0777;
  if (group != nullptr) mode &= static_cast<mode_t>(0707 | std::to_integer<unsigned>(*group) << 3);
  if (!keeps_group) mode &= 0707;
  if (::fchmod(file.descriptor(), mode) != 0) throw base::errno_error(to, "set its permissions", errno);
}

}  // namespace lq::transport
