// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What POSIX does not have, asked of the system: all that only Linux knows is behind this header, in system_linux.cpp.
// Elsewhere (system_other.cpp) a call does what the system can do, or fails with ENOSYS, as on a Linux without it.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/inner.hpp"

namespace lq::base {

// Calls that return an int return 0, or -1 with errno; those that return ssize_t a number of bytes, or -1 with errno.

// Cores that the calling thread may use; none if that cannot be told, or if there are more than fit in here.
using CoreSet = std::bitset<1024>;
CoreSet usable_core_set() noexcept;
// Their number, 1 if that cannot be told.
LQ_INNER int usable_cores() noexcept;

// Bytes of another process, or of this one (EFAULT where a read would crash).
ssize_t read_memory_of(pid_t process, const iovec& to, std::span<const iovec> from) noexcept;

// A file of memory without a name, which others open as "/proc/PROCESS/fd/DESCRIPTOR"; or -1.
int make_memory_file() noexcept;

// Storage for a stretch of a file, so that writing there cannot lack it. The size of the file stays as it is.
int reserve_storage(int descriptor, off_t offset, off_t bytes) noexcept;
// The same for memory files, whose size grows. An errno, not -1.
int reserve_memory(int descriptor, off_t offset, off_t bytes) noexcept;

// The system may read that stretch ahead; nothing is waited for.
void will_need(int descriptor, off_t offset, off_t bytes) noexcept;
// What was read before is read from the file system again, what is to be written stays.
void forget_pages(int descriptor) noexcept;
// Whether a byte of a file lies in memory; "no" if that cannot be told.
bool is_cached(int descriptor, off_t offset) noexcept;

// Renames unless the new name exists (EEXIST), in one step. ENOSYS or EINVAL where that cannot be done.
int rename_to_new(const char* from, const char* to) noexcept;

// Extended attributes. EOPNOTSUPP where there are none.
ssize_t get_attribute(const char* path, const char* name, std::span<std::byte> value) noexcept;
int set_attribute(const char* path, const char* name, std::span<const std::byte> value) noexcept;
enum class Attribute { any, is_new };
int set_attribute(int descriptor, const char* name, std::span<const std::byte> value,
                  Attribute which = Attribute::any) noexcept;
int remove_attribute(int descriptor, const char* name) noexcept;

// Which file it is. Times are nanoseconds since 1970; created: 0 if that is not recorded.
struct FileNumbers {
  dev_t device = 0;
  std::uint64_t inode = 0, bytes = 0;
  std::int64_t created = 0, modified = 0;
  mode_t mode = 0;
};
int file_numbers(int descriptor, FileNumbers& numbers) noexcept;
// Of the name itself, also if it is a symbolic link.
int file_numbers(const char* path, FileNumbers& numbers) noexcept;
inline std::int64_t modification_time(const struct stat& status) noexcept {
#ifdef __APPLE__
  const timespec& time = status.st_mtimespec;
#else
  const timespec& time = status.st_mtim;
#endif
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Of a device, as the table of mounts has it.
struct DeviceNumbers {
  unsigned major = 0, minor = 0;
};
DeviceNumbers device_numbers(dev_t device) noexcept;

// statfs. The names are those of systems that keep no table of mounts to read; otherwise they are empty.
struct FileSystemNumbers {
  std::uint32_t kind = 0;  // 0: the names say it
  std::uint64_t unit_bytes = 0, units = 0, available_units = 0;
  std::string type, point, source;
};
int file_system_numbers(const char* path, FileSystemNumbers& numbers);

// What the processor has beyond the least AArch64; all false on others.
struct Aarch64Features {
  bool crc32 = false, pmull = false;
};
Aarch64Features aarch64_features() noexcept;

// How many libraries the program has loaded so far, or a number that never changes.
unsigned long long libraries_loaded() noexcept;

// Opens a file for writing past the caches. -1 and EINVAL where the file system or the system cannot.
int open_direct(const char* path) noexcept;
// Whether asynchronous calls through io_uring are permitted: 0, or the reason.
int try_io_uring() noexcept;

}  // namespace lq::base
