// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Names of files given and taken away, where each returns 0 or an errno. A network file system repeats a request whose
// answer was lost, and tells what the second one found: a name that is given or gone already is what was asked for.
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
// unlink(2); ENOENT only where there was no such name before.
int remove_name(const std::string& path) noexcept;

// Three ways to give a file a name that must be free, for file systems of different abilities; EEXIST when it is taken.
// renameat2(RENAME_NOREPLACE): atomic; EINVAL, ENOSYS or EOPNOTSUPP where the system or file system has it not.
int publish_by_rename(const std::string& from, const std::string& to) noexcept;
// link, then unlink: atomic. Where the file system has no hard links any errno may say so (OrangeFS: ENOENT).
// `before`: of the file, as lstat tells, for its new name may have been given to it by a request that is repeated.
int publish_by_link(const std::string& from, const std::string& to, const struct stat& before) noexcept;
// Look, then rename. Not atomic: a file that appears in between is replaced.
int publish_by_check(const std::string& from, const std::string& to) noexcept;

// The ways of a file system, so that tests can put ways that lie in their place.
struct PublishWays {
  int (*by_rename)(const std::string& from, const std::string& to) noexcept = publish_by_rename;
  int (*by_link)(const std::string& from, const std::string& to, const struct stat& before) noexcept = publish_by_link;
};

// The best of the three that works where the file is. Any thread.
class Publisher {
 public:
  explicit Publisher(const PublishWays& ways = {}) noexcept : ways_(ways) {}
  int publish(const std::string& from, const std::string& to) noexcept;

 private:
  bool has_refused(dev_t device) const noexcept;

  // A refusal costs several round trips to servers (GlusterFS: 48 ms), so that the mounts which know no such rename are
  // remembered. One that is forgotten is asked again.
  static constexpr std::size_t most_remembered = 16;
  PublishWays ways_;
  std::array<std::atomic<dev_t>, most_remembered> refusing_{};  // devices
  std::atomic<std::size_t> refusals_{0};
};

// Names of the POSIX file system under which one file is reached.

// Where symbolic links lead that have this name; the folders before it stay as they are given. The path itself where it
// is no link, leads in circles, or is nothing that the POSIX file system knows.
std::string own_name(const std::string& path);

// How many names a file has (hard links); 1 where nobody knows.
std::uint64_t names_of(const std::string& path);

}  // namespace lq::storage
