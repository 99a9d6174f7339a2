// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions that give and remove names of files; each returns 0 or an errno. A network file system repeats a request
// whose answer was lost and reports the result of the repetition: a name that already exists, or is already gone, is
// success.
#pragma once

#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace lq::storage {

// rename(2), which replaces `to`.
int rename_over(const std::string& from, const std::string& to) noexcept;
// unlink(2); ENOENT only if the name did not exist before.
int remove_name(const std::string& path) noexcept;

// Three ways to give a file a name that must be free, for different file systems; EEXIST if the name is taken.
// renameat2(RENAME_NOREPLACE): atomic; EINVAL, ENOSYS or EOPNOTSUPP if not supported.
int publish_by_rename(const std::string& from, const std::string& to) noexcept;
// link, then unlink: atomic. If the file system has no hard links, it may return any errno (OrangeFS: ENOENT).
// `before`: the lstat of the file, because a repeated request may already have given it its new name.
int publish_by_link(const std::string& from, const std::string& to, const struct stat& before) noexcept;
// Checks, then renames. Not atomic: a file that appears in between is replaced.
int publish_by_check(const std::string& from, const std::string& to) noexcept;

// The functions of a file system; tests can replace them by functions that lie.
struct PublishWays {
  int (*by_rename)(const std::string& from, const std::string& to) noexcept = publish_by_rename;
  int (*by_link)(const std::string& from, const std::string& to, const struct stat& before) noexcept = publish_by_link;
};

// The best of the three that works for the file. Any thread.
class Publisher {
 public:
  explicit Publisher(const PublishWays& ways = {}) noexcept : ways_(ways) {}
  int publish(const std::string& from, const std::string& to) noexcept;

 private:
  bool has_refused(dev_t device) const noexcept;

  // A refusal costs several round trips to servers (GlusterFS: 48 ms), so mounts without such a rename are remembered.
  // A mount that is forgotten is tried again.
  static constexpr std::size_t most_remembered = 16;
  PublishWays ways_;
  std::array<std::atomic<dev_t>, most_remembered> refusing_{};  // devices
  std::atomic<std::size_t> refusals_{0};
};

// Names of the POSIX file system under which one file is reached.

// Follows symbolic links of this name; the folders before it stay as given. Returns the path itself if it is not a
// link, is a circular link, or does not exist in the POSIX file system.
std::string own_name(const std::string& path);

// Number of names of a file (hard links); 1 if unknown.
std::uint64_t names_of(const std::string& path);

}  // namespace lq::storage
