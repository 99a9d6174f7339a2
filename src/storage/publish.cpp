// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Giving a complete file its final name.
#include "storage/publish.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <string_view>

#include "base/system.hpp"

namespace lq::storage {
namespace {

// True if both names exist and refer to the same file.
bool is_named(const std::string& path, const struct stat& file) noexcept {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino;
}

}  // namespace

int rename_over(const std::string& from, const std::string& to) noexcept {
  struct stat before {};
  if (::lstat(from.c_str(), &before) != 0) return errno;
  if (std::rename(from.c_str(), to.c_str()) == 0) return 0;
  const int reason = errno;
  return reason == ENOENT && is_named(to, before) ? 0 : reason;
}

int remove_name(const std::string& path) noexcept {
  struct stat before {};
  if (::lstat(path.c_str(), &before) != 0) return errno;
  return ::unlink(path.c_str()) == 0 || errno == ENOENT ? 0 : errno;
}

int publish_by_rename(const std::string& from, const std::string& to) noexcept {
  return base::rename_to_new(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int publish_by_link(const std::string& from, const std::string& to, const struct stat& before) noexcept {
  if (::link(from.c_str(), to.c_str()) != 0) {
    const int reason = errno;
    // The name may have been taken by the first of our own requests.
    if (reason != EEXIST || !is_named(to, before)) return reason;
  }
  return ::unlink(from.c_str()) == 0 || errno == ENOENT ? 0 : errno;
}

int publish_by_check(const std::string& from, const std::string& to) noexcept {
  struct stat status {};
  if (::lstat(to.c_str(), &status) == 0) return EEXIST;
  if (errno != ENOENT) return errno;
  return rename_over(from, to);
}

bool Publisher::has_refused(dev_t device) const noexcept {
  const std::size_t count = std::min(refusals_.load(), most_remembered);
  return std::any_of(refusing_.begin(), refusing_.begin() + count, [&](const auto& one) { return one == device; });
}

int Publisher::publish(const std::string& from, const std::string& to) noexcept {
  struct stat before {};
  const auto look = [&] { return ::lstat(from.c_str(), &before) == 0 ? 0 : errno; };
  const bool may_refuse = refusals_ > 0;
  if (const int reason = may_refuse ? look() : 0) return reason;
  if (!may_refuse || !has_refused(before.st_dev)) {
    const int renamed = ways_.by_rename(from, to);
    if (renamed != EINVAL && renamed != ENOSYS && renamed != EOPNOTSUPP) return renamed;
    if (const int reason = look()) return reason;
    refusing_[refusals_ % most_remembered] = before.st_dev;
    ++refusals_;
  }
  const int linked = ways_.by_link(from, to, before);
  struct stat status {};
  // If the file still has its old name, any other error means that links are not supported.
  if (linked == 0 || linked == EEXIST || ::lstat(from.c_str(), &status) != 0) return linked;
  return publish_by_check(from, to);
}

std::string own_name(const std::string& path) {
  constexpr int most_links = 40;  // the limit of the system
  std::string name = path;
  std::array<char, PATH_MAX> target;
  for (int link = 0; link < most_links; ++link) {
    const ssize_t bytes = ::readlink(name.c_str(), target.data(), target.size());
    if (bytes <= 0 || static_cast<std::size_t>(bytes) == target.size()) return name;
    const std::string_view to(target.data(), static_cast<std::size_t>(bytes));
    name.erase(to.front() == '/' ? 0 : name.rfind('/') + 1);
    name += to;
  }
  return path;
}

std::uint64_t names_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_nlink > 0 ? status.st_nlink : 1;
}

}  // namespace lq::storage
