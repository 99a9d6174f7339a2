// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the system permits. Facts are gathered by system calls and judged apart, so that the judgements can be tested
// where the system is sound.
#pragma once

#include <limequat/survey.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "machine/file_system.hpp"

namespace lq::survey {

Probe judge_file_system(const machine::FileSystem& file_system);
Probe judge_space(const machine::FileSystem& file_system);

// errno of each step; 0: it went well.
struct LockFacts {
  int lock = 0;          // to lock a byte
  int second = 0;        // to lock it by another descriptor: EAGAIN or EACCES where locks work
  bool is_other = true;  // whether another one tried
};
Probe judge_locks(const LockFacts& facts);

Probe judge_direct_io(int reason);
Probe judge_preallocation(int reason);
Probe judge_io_uring(int reason);

// `free_bytes` of /dev/shm, where it is known.
Probe judge_shared_memory(bool works, std::optional<std::uint64_t> free_bytes);
// `ptrace_scope`: of the kernel's Yama, where it is known.
Probe judge_neighbour_memory(bool works, int ranks_on_node, std::optional<int> ptrace_scope);
// Of the clock that measures, and the spread of the ranks' time of day.
Probe judge_clock(double resolution, double spread);

// Local. errno of opening `path` with O_DIRECT, of preallocating it, of setting up a ring.
int try_direct_io(const std::string& path) noexcept;
int try_preallocation(const std::string& path) noexcept;
int try_io_uring() noexcept;
// Local. Locks a byte of `path` for as long as the object lives.
class ByteLock {
 public:
  explicit ByteLock(const std::string& path) noexcept;
  ~ByteLock();
  ByteLock(const ByteLock&) = delete;
  ByteLock& operator=(const ByteLock&) = delete;
  int reason() const noexcept { return reason_; }

 private:
  int descriptor_ = -1;
  int reason_ = 0;
};
std::optional<std::uint64_t> free_shared_memory() noexcept;
std::optional<int> ptrace_scope();
double clock_resolution() noexcept;

}  // namespace lq::survey
