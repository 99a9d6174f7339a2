// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// System services beyond POSIX. system_linux.cpp contains all that is specific to Linux. Elsewhere (system_other.cpp) a
// call does what the system can do, or fails with ENOSYS, as on a Linux without the service.
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

// Calls that return an int return 0, or -1 with errno; calls that return ssize_t a number of bytes, or -1 with errno.

// Cores that the calling thread may use; empty if unknown or if their number exceeds the capacity of CoreSet.
using CoreSet = std::bitset<1024>;
CoreSet usable_core_set() noexcept;
// Number of these cores; 1 if unknown.
LQ_INNER int usable_cores() noexcept;

// Reads memory of another process, or of this one (EFAULT where a direct read would crash).
ssize_t read_memory_of(pid_t process, const iovec& to, std::span<const iovec> from) noexcept;

// A memory file without a name, which other processes open as "/proc/PROCESS/fd/DESCRIPTOR"; or -1.
int make_memory_file() noexcept;

// Hint that the system may back this memory with large pages, which are a few hundred times fewer to map at first use.
// Only pages that are entirely inside are affected; contents stay.
void use_large_pages(void* memory, std::size_t bytes) noexcept;

// Reserves storage for a range of a file, so that writing there cannot run out of space. The file size stays unchanged.
int reserve_storage(int descriptor, off_t offset, off_t bytes) noexcept;
// The same for memory files, whose size grows. Returns an errno, not -1.
int reserve_memory(int descriptor, off_t offset, off_t bytes) noexcept;

// Hint that the system may prefetch that range; does not wait.
void will_need(int descriptor, off_t offset, off_t bytes) noexcept;
// Drops clean cached pages, so that the next reads go to the file system; dirty pages stay.
void forget_pages(int descriptor) noexcept;
// True if a byte of a file is in the page cache; false if unknown.
bool is_cached(int descriptor, off_t offset) noexcept;

// Renames unless the new name exists (EEXIST), atomically. ENOSYS or EINVAL if the system cannot do that.
int rename_to_new(const char* from, const char* to) noexcept;

// Extended attributes. EOPNOTSUPP if not supported.
ssize_t get_attribute(const char* path, const char* name, std::span<std::byte> value) noexcept;
int set_attribute(const char* path, const char* name, std::span<const std::byte> value) noexcept;
enum class Attribute { any, is_new };
int set_attribute(int descriptor, const char* name, std::span<const std::byte> value,
                  Attribute which = Attribute::any) noexcept;
int remove_attribute(int descriptor, const char* name) noexcept;

// Identity of a file. Times are nanoseconds since 1970; created: 0 if not recorded.
struct FileNumbers {
  dev_t device = 0;
  std::uint64_t inode = 0, bytes = 0;
  std::int64_t created = 0, modified = 0;
  mode_t mode = 0;
};
int file_numbers(int descriptor, FileNumbers& numbers) noexcept;
// For the name itself, even if it is a symbolic link.
int file_numbers(const char* path, FileNumbers& numbers) noexcept;
inline std::int64_t modification_time(const struct stat& status) noexcept {
#ifdef __APPLE__
  const timespec& time = status.st_mtimespec;
#else
  const timespec& time = status.st_mtim;
#endif
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Numbers of a device, as in the table of mounts.
struct DeviceNumbers {
  unsigned major = 0, minor = 0;
};
DeviceNumbers device_numbers(dev_t device) noexcept;

// statfs. The names are set only on systems that have no readable table of mounts.
struct FileSystemNumbers {
  std::uint32_t kind = 0;  // 0: see the names
  std::uint64_t unit_bytes = 0, units = 0, available_units = 0;
  std::string type, point, source;
};
int file_system_numbers(const char* path, FileSystemNumbers& numbers);

// Features of the processor beyond baseline AArch64; all false on other processors.
struct Aarch64Features {
  bool crc32 = false, pmull = false;
};
Aarch64Features aarch64_features() noexcept;

// Number of libraries that the program has loaded so far, or a constant.
unsigned long long libraries_loaded() noexcept;

// Opens a file for writing without caches. -1 and EINVAL if the file system or the system does not support it.
int open_direct(const char* path) noexcept;
// Tests if asynchronous calls through io_uring are permitted: 0, or the errno of the refusal.
int try_io_uring() noexcept;

}  // namespace lq::base
