// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// macOS, and other POSIX systems.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/param.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/system.hpp"

namespace lq::base {
namespace {

int refuse(int reason) noexcept {
  errno = reason;
  return -1;
}

}  // namespace

// The cores of a process cannot be queried there: all processes share them.
CoreSet usable_core_set() noexcept {
  CoreSet set;
  const auto cores = static_cast<std::size_t>(usable_cores());
  for (std::size_t core = 0; core < std::min(cores, set.size()); ++core) set.set(core);
  return set;
}

int usable_cores() noexcept { return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1); }

ssize_t read_memory_of(pid_t, const iovec&, std::span<const iovec>) noexcept { return refuse(ENOSYS); }

int make_memory_file() noexcept { return refuse(ENOSYS); }

int reserve_storage(int, off_t, off_t) noexcept { return refuse(EOPNOTSUPP); }

int reserve_memory(int, off_t, off_t) noexcept { return ENOSYS; }

void will_need(int, off_t, off_t) noexcept {}

void forget_pages(int) noexcept {}

bool is_cached(int, off_t) noexcept { return false; }

int rename_to_new([[maybe_unused]] const char* from, [[maybe_unused]] const char* to) noexcept {
#ifdef RENAME_EXCL
  return ::renamex_np(from, to, RENAME_EXCL);
#else
  return refuse(ENOSYS);
#endif
}

ssize_t get_attribute(const char*, const char*, std::span<std::byte>) noexcept { return refuse(EOPNOTSUPP); }

int set_attribute(const char*, const char*, std::span<const std::byte>) noexcept { return refuse(EOPNOTSUPP); }

int set_attribute(int, const char*, std::span<const std::byte>, Attribute) noexcept { return refuse(EOPNOTSUPP); }

int remove_attribute(int, const char*) noexcept { return refuse(EOPNOTSUPP); }

namespace {

FileNumbers numbers_of(const struct stat& status) noexcept {
  FileNumbers numbers{.device = status.st_dev,
                      .inode = status.st_ino,
                      .bytes = static_cast<std::uint64_t>(status.st_size),
                      .created = 0,
                      .modified = modification_time(status),
                      .mode = status.st_mode};
#ifdef __APPLE__
  numbers.created = std::int64_t{status.st_birthtimespec.tv_sec} * 1'000'000'000 + status.st_birthtimespec.tv_nsec;
#endif
  return numbers;
}

}  // namespace

int file_numbers(int descriptor, FileNumbers& numbers) noexcept {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return -1;
  numbers = numbers_of(status);
  return 0;
}

int file_numbers(const char* path, FileNumbers& numbers) noexcept {
  struct stat status {};
  if (::lstat(path, &status) != 0) return -1;
  numbers = numbers_of(status);
  return 0;
}

DeviceNumbers device_numbers(dev_t device) noexcept {
  return {static_cast<unsigned>(major(device)), static_cast<unsigned>(minor(device))};
}

int file_system_numbers(const char* path, FileSystemNumbers& numbers) {
  struct statfs about {};
  if (::statfs(path, &about) != 0) return -1;
  numbers.unit_bytes = about.f_bsize;
  numbers.units = about.f_blocks;
  numbers.available_units = static_cast<std::uint64_t>(about.f_bavail);
  numbers.type = about.f_fstypename;
  numbers.point = about.f_mntonname;
  numbers.source = about.f_mntfromname;
  return 0;
}

Aarch64Features aarch64_features() noexcept {
#if defined(__APPLE__) && defined(__aarch64__)
  return {true, true};  // all Apple processors have both
#else
  return {};
#endif
}

unsigned long long libraries_loaded() noexcept { return 1; }

void use_large_pages(void*, std::size_t) noexcept {}

int open_direct(const char*) noexcept { return refuse(EINVAL); }

int try_io_uring() noexcept { return ENOSYS; }

}  // namespace lq::base
