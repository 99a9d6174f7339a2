// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "base/system.hpp"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#endif

namespace lq::base {

CoreSet usable_core_set() noexcept {
  static_assert(CPU_SETSIZE == CoreSet().size());
  CoreSet set;
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof(cores), &cores) != 0) return set;
  for (std::size_t core = 0; core < set.size(); ++core) set[core] = CPU_ISSET(core, &cores);
  return set;
}

int usable_cores() noexcept {
  cpu_set_t cores;
  return ::sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

ssize_t read_memory_of(pid_t process, const iovec& to, std::span<const iovec> from) noexcept {
  return ::process_vm_readv(process, &to, 1, from.data(), from.size(), 0);
}

int make_memory_file() noexcept { return ::memfd_create("limequat", MFD_CLOEXEC); }

void use_large_pages(void* memory, std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  // Those of x86 and of AArch64 with pages of 4 KiB; larger units only make the hint ineffective.
  constexpr std::size_t unit = std::size_t{2} << 20;
  void* first = memory;
  if (std::align(unit, unit, first, bytes) == nullptr) return;
  ::madvise(first, bytes / unit * unit, MADV_HUGEPAGE);
#else
  static_cast<void>(memory), static_cast<void>(bytes);
#endif
}

int reserve_storage(int descriptor, off_t offset, off_t bytes) noexcept {
  return ::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, bytes);
}

int reserve_memory(int descriptor, off_t offset, off_t bytes) noexcept {
  return ::posix_fallocate(descriptor, offset, bytes);
}

void will_need(int descriptor, off_t offset, off_t bytes) noexcept {
  // The kernel limits a request to its own readahead size, 128 KiB unless an administrator changed it.
  constexpr off_t piece = off_t{128} * 1024;
  for (off_t at = 0; at < bytes; at += piece) {
    if (::posix_fadvise(descriptor, offset + at, std::min(piece, bytes - at), POSIX_FADV_WILLNEED) != 0) return;
  }
}

void forget_pages(int descriptor) noexcept { ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED); }

bool is_cached([[maybe_unused]] int descriptor, [[maybe_unused]] off_t offset) noexcept {
#ifdef RWF_NOWAIT
  char byte = 0;
  const iovec place{&byte, 1};
  return ::preadv2(descriptor, &place, 1, offset, RWF_NOWAIT) == 1;
#else
  return false;
#endif
}

int rename_to_new(const char* from, const char* to) noexcept {
  return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

ssize_t get_attribute(const char* path, const char* name, std::span<std::byte> value) noexcept {
  return ::getxattr(path, name, value.data(), value.size());
}

int set_attribute(const char* path, const char* name, std::span<const std::byte> value) noexcept {
  return ::setxattr(path, name, value.data(), value.size(), 0);
}

int set_attribute(int descriptor, const char* name, std::span<const std::byte> value, Attribute which) noexcept {
  return ::fsetxattr(descriptor, name, value.data(), value.size(), which == Attribute::is_new ? XATTR_CREATE : 0);
}

int remove_attribute(int descriptor, const char* name) noexcept { return ::fremovexattr(descriptor, name); }

namespace {

std::int64_t nanoseconds(const statx_timestamp& time) noexcept {
  return time.tv_sec * 1'000'000'000 + static_cast<std::int64_t>(time.tv_nsec);
}

int look_up(int directory, const char* name, int flags, FileNumbers& numbers) noexcept {
  struct statx status {};
  if (::statx(directory, name, flags, STATX_BASIC_STATS | STATX_BTIME, &status) != 0) return -1;
  numbers = {.device = makedev(status.stx_dev_major, status.stx_dev_minor),
             .inode = status.stx_ino,
             .bytes = status.stx_size,
             .created = (status.stx_mask & STATX_BTIME) != 0 ? nanoseconds(status.stx_btime) : 0,
             .modified = nanoseconds(status.stx_mtime),
             .mode = status.stx_mode};
  return 0;
}

}  // namespace

int file_numbers(int descriptor, FileNumbers& numbers) noexcept {
  return look_up(descriptor, "", AT_EMPTY_PATH, numbers);
}

int file_numbers(const char* path, FileNumbers& numbers) noexcept {
  return look_up(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, numbers);
}

DeviceNumbers device_numbers(dev_t device) noexcept { return {gnu_dev_major(device), gnu_dev_minor(device)}; }

int file_system_numbers(const char* path, FileSystemNumbers& numbers) {
  struct statfs about {};
  if (::statfs(path, &about) != 0) return -1;
  numbers.kind = static_cast<std::uint32_t>(about.f_type);
  numbers.unit_bytes = static_cast<std::uint64_t>(std::max<decltype(about.f_bsize)>(about.f_bsize, 0));
  numbers.units = about.f_blocks;
  numbers.available_units = about.f_bavail;
  return 0;
}

Aarch64Features aarch64_features() noexcept {
#if defined(__aarch64__)
  const unsigned long has = getauxval(AT_HWCAP);
  return {(has & HWCAP_CRC32) != 0, (has & HWCAP_PMULL) != 0};
#else
  return {};
#endif
}

unsigned long long libraries_loaded() noexcept {
  unsigned long long loaded = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* answer) {
        *static_cast<unsigned long long*>(answer) = library->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

int open_direct(const char* path) noexcept { return ::open(path, O_WRONLY | O_DIRECT | O_CLOEXEC); }

int try_io_uring() noexcept {
#ifdef SYS_io_uring_setup
  alignas(8) std::array<std::byte, 120> parameters{};  // struct io_uring_params
  const long descriptor = ::syscall(SYS_io_uring_setup, 1, parameters.data());
  if (descriptor < 0) return errno;
  ::close(static_cast<int>(descriptor));
  return 0;
#else
  return ENOSYS;
#endif
}

}  // namespace lq::base
