// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Giving a complete file its final name without replacing another one.
#include "transport/publish.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace lq::transport {
namespace {

bool same_file(const std::string& a, const std::string& b) noexcept {
  struct stat first {};
  struct stat second {};
  return ::lstat(a.c_str(), &first) == 0 && ::lstat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace

int publish_by_rename(const std::string& from, const std::string& to) noexcept {
#ifdef RENAME_NOREPLACE
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
#else
  static_cast<void>(from);
  static_cast<void>(to);
  return ENOSYS;
#endif
}

int publish_by_link(const std::string& from, const std::string& to) noexcept {
  if (::link(from.c_str(), to.c_str()) != 0) {
    const int reason = errno;
    // NFS repeats a request whose answer was lost: the name is then "taken" by our own first request.
    if (reason != EEXIST || !same_file(from, to)) return reason;
  }
  return ::unlink(from.c_str()) == 0 ? 0 : errno;
}

int publish_by_check(const std::string& from, const std::string& to) noexcept {
  struct stat status {};
  if (::lstat(to.c_str(), &status) == 0) return EEXIST;
  if (errno != ENOENT) return errno;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int publish_name(const std::string& from, const std::string& to) noexcept {
  const int renamed = publish_by_rename(from, to);
  if (renamed != EINVAL && renamed != ENOSYS && renamed != EOPNOTSUPP) return renamed;
  const int linked = publish_by_link(from, to);
  if (linked != EPERM && linked != EOPNOTSUPP && linked != ENOSYS && linked != EMLINK) return linked;
  return publish_by_check(from, to);
}

}  // namespace lq::transport
