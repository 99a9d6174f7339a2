// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Facts of the system, by system calls.
#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fstream>

#include "diagnosis/probes.hpp"

namespace lq::diagnosis {
namespace {

int closed(int descriptor, int reason) noexcept {
  if (descriptor >= 0) ::close(descriptor);
  return reason;
}

}  // namespace

// The flag alone says little: some systems take it and refuse the write.
int try_direct_io(const std::string& path) noexcept {
  constexpr std::size_t page = 4096;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC);
  if (descriptor < 0) return errno;
  alignas(page) const std::array<std::byte, page> zeros{};
  return closed(descriptor, ::pwrite(descriptor, zeros.data(), page, 0) < 0 ? errno : 0);
}

// Not posix_fallocate, which would write zeros where the system cannot.
int try_preallocation(const std::string& path) noexcept {
  constexpr off_t bytes = off_t{1} << 20;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  return closed(descriptor, ::fallocate(descriptor, 0, 0, bytes) != 0 ? errno : 0);
}

int try_io_uring() noexcept {
#ifdef SYS_io_uring_setup
  alignas(8) std::array<std::byte, 120> parameters{};  // struct io_uring_params
  const long descriptor = ::syscall(SYS_io_uring_setup, 1, parameters.data());
  return descriptor < 0 ? errno : closed(static_cast<int>(descriptor), 0);
#else
  return ENOSYS;
#endif
}

// Locks of the open file, which exclude others of the same process, too.
ByteLock::ByteLock(const std::string& path) noexcept : descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  if (descriptor_ < 0 || ::fcntl(descriptor_, F_OFD_SETLK, &lock) != 0) reason_ = errno;
}

ByteLock::~ByteLock() { closed(descriptor_, 0); }

std::optional<std::uint64_t> free_shared_memory() noexcept {
  struct statvfs status {};
  if (::statvfs("/dev/shm", &status) != 0) return std::nullopt;
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

std::optional<int> ptrace_scope() {
  std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
  int scope = 0;
  return file >> scope ? std::optional(scope) : std::nullopt;
}

double clock_resolution() noexcept {
  using Clock = std::chrono::steady_clock;
  double smallest = 1;
  for (int i = 0; i < 100; ++i) {
    const Clock::time_point start = Clock::now();
    Clock::time_point now = start;
    while (now == start) now = Clock::now();
    smallest = std::min(smallest, std::chrono::duration<double>(now - start).count());
  }
  return smallest;
}

}  // namespace lq::diagnosis
