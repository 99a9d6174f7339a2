// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Asks one question of a file system as a group of ranks, and collects facts of the system by system calls.
#include "diagnosis/probes.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fstream>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/random_number.hpp"
#include "base/system.hpp"

namespace lq {

std::string_view name(ProbeVerdict verdict) noexcept {
  switch (verdict) {
    case ProbeVerdict::pass:
      return "PASS";
    case ProbeVerdict::warn:
      return "WARN";
    case ProbeVerdict::fail:
      break;
  }
  return "FAIL";
}

ProbeVerdict worst_of(const std::vector<Probe>& probes) noexcept {
  ProbeVerdict worst = ProbeVerdict::pass;
  for (const Probe& probe : probes) worst = std::max(worst, probe.verdict);
  return worst;
}

namespace diagnosis {
namespace {

// ProbeVerdict, found, action; the texts end with a NUL.
std::string packed(const Probe& probe) {
  std::string bytes(1, static_cast<char>('0' + static_cast<int>(probe.verdict)));
  for (const std::string& text : {probe.found, probe.action}) bytes += text.substr(0, text.find('\0')) + '\0';
  return bytes;
}

Probe unpacked(const std::string& name, std::string_view bytes) {
  const std::size_t first = bytes.find('\0');
  const std::size_t second = bytes.find('\0', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) {
    throw Error(Code::communication, fmt::format("probe {}: the answer of a rank arrived incomplete", name));
  }
  return {name, static_cast<ProbeVerdict>(bytes[0] - '0'), std::string(bytes.substr(1, first - 1)),
          std::string(bytes.substr(first + 1, second - first - 1))};
}

}  // namespace

Scratch::Scratch(comm::Comm& comm, storage::Transport& transport, const std::string& folder)
    : comm_(comm), transport_(transport) {
  prefix_ = comm::broadcast_text(
      comm, fmt::format("{}/lq-probe.{:08x}", folder.empty() ? "." : folder, base::random_number()));
}

Scratch::~Scratch() {
  if (comm_.rank() != 0) return;
  for (const auto& file : files_) {
    try {
      transport_.remove(file->path());
    } catch (...) {
      // Most files were renamed or removed already; a file system that cannot remove was reported.
    }
  }
}

std::string Scratch::file(const std::string& purpose) {
  std::string path = fmt::format("{}.{}", prefix_, purpose);
  if (comm_.rank() == 0) files_.push_back(std::make_unique<ProbeFile>(path));
  return path;
}

Probe answer(const std::string& name, const std::string& action, const std::function<Probe()>& work) {
  try {
    return work();
  } catch (const Error& error) {
    return {name, ProbeVerdict::fail, error.what(), action};
  }
}

Probe not_asked(const std::string& name, double seconds) {
  return {name, ProbeVerdict::warn, fmt::format("not tried: earlier tests took all of the {:g} s", seconds),
          "allow more time: lq doctor --budget SECONDS"};
}

Probe worst_over_ranks(comm::Comm& comm, const Probe& mine) {
  std::string worst;
  const auto all = comm.gather(base::as_bytes(packed(mine)), 0);
  comm::agree_at_root(comm, [&] {
    Probe result = unpacked(mine.name, base::as_text(all[0]));
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      Probe other = unpacked(mine.name, base::as_text(all[rank]));
      if (other.verdict <= result.verdict) continue;
      result = std::move(other);
      result.found = fmt::format("rank {}: {}", rank, result.found);
    }
    worst = packed(result);
  });
  return unpacked(mine.name, comm::broadcast_text(comm, worst));
}

Probe ask(comm::Comm& comm, const std::string& name, const std::string& action, const std::function<Probe()>& work) {
  return worst_over_ranks(comm, answer(name, action, work));
}

}  // namespace diagnosis
}  // namespace lq

namespace lq::diagnosis {

// Facts of the system, by system calls.

namespace {

int closed(int descriptor, int reason) noexcept {
  if (descriptor >= 0) ::close(descriptor);
  return reason;
}

}  // namespace

// The flag alone proves little: some systems accept it and refuse the write.
int try_direct_io(const std::string& path) noexcept {
  constexpr std::size_t page = 4096;
  const int descriptor = base::open_direct(path.c_str());
  if (descriptor < 0) return errno;
  alignas(page) const std::array<std::byte, page> zeros{};
  return closed(descriptor, ::pwrite(descriptor, zeros.data(), page, 0) < 0 ? errno : 0);
}

// Not posix_fallocate, which writes zeros if the system does not support it.
int try_preallocation(const std::string& path) noexcept {
  constexpr off_t bytes = off_t{1} << 20;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  return closed(descriptor, base::reserve_storage(descriptor, 0, bytes) != 0 ? errno : 0);
}

// Open file description locks, which also exclude others in the same process.
ByteLock::ByteLock(const std::string& path) noexcept : descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
#ifdef F_OFD_SETLK
  if (descriptor_ < 0 || ::fcntl(descriptor_, F_OFD_SETLK, &lock) != 0) reason_ = errno;
#else
  reason_ = descriptor_ < 0 ? errno : ENOSYS;
#endif
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
