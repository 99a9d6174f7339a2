// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The probes of a folder: what writing by several ranks and committing by rename need of a file system, tried through
// a transport; and what the system permits. Facts are collected by system calls and judged separately, so that the
// judgements can be tested on an intact system.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/survey.hpp>

#include "comm/agree.hpp"
#include "comm/comm.hpp"
#include "storage/file_system.hpp"
#include "storage/transport.hpp"

namespace lq::diagnosis {

// How a group of ranks asks one question: temporary files with unique names, one answer for all ranks.

// Unused names for files in a folder; the root removes those files at the end, also after errors.
class Scratch {
 public:
  // Collective.
  Scratch(comm::Comm& comm, storage::Transport& transport, const std::string& folder);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Local, in the same order on all ranks.
  std::string file(const std::string& purpose);
  storage::Transport& transport() const noexcept { return transport_; }

 private:
  comm::Comm& comm_;
  storage::Transport& transport_;
  std::string prefix_;
  std::vector<std::unique_ptr<ProbeFile>> files_;
};

// Local. `work` returns the answer; an Error is a failure, and its message is the finding.
Probe answer(const std::string& name, const std::string& action, const std::function<Probe()>& work);

// Local. For a question that there was no time for.
Probe not_asked(const std::string& name, double seconds);

// Collective. The worst of the ranks' answers, the lowest rank's if several are equal, on all ranks.
Probe worst_over_ranks(comm::Comm& comm, const Probe& mine);

// Collective. `work` is collective, too: its errors are agreed upon, its answers may differ.
Probe ask(comm::Comm& comm, const std::string& name, const std::string& action, const std::function<Probe()>& work);

// Collective. All probes, over any transport.
std::vector<Probe> examine(comm::Comm& comm, storage::Transport& transport, const std::string& folder,
                           const ExamineOptions& options = {});

// These are collective and return the same answer on all ranks.

// Tests whether a file can be created, written, read and removed; the other probes depend on that.
Probe probe_folder(comm::Comm& comm, Scratch& scratch);
// If all ranks create one file, exactly one succeeds.
Probe probe_exclusive_create(comm::Comm& comm, Scratch& scratch);
// The new file replaces the old one, for all ranks.
Probe probe_rename(comm::Comm& comm, Scratch& scratch);
// A new file gets a free name, and never an existing one.
Probe probe_publish(comm::Comm& comm, Scratch& scratch);
// Unwritten bytes read as zeros.
Probe probe_holes(comm::Comm& comm, Scratch& scratch);
// Bytes around 2 GiB and 4 GiB are read back. Needs holes, or else space.
Probe probe_large_offsets(comm::Comm& comm, Scratch& scratch, const FileSystem& file_system);
// File and directory are synced.
Probe probe_sync(comm::Comm& comm, Scratch& scratch);
// How fast one rank writes a new file and reads it, in calls of 64 KiB to 16 MiB: a fact, not a fault.
Probe probe_call_size(comm::Comm& comm, Scratch& scratch);
// Ranks write halves of pages alternately; all of them find all halves after opening again.
Probe probe_page_edges(comm::Comm& comm, Scratch& scratch, const FileSystem& file_system);

// What the system permits.

Probe judge_file_system(const FileSystem& file_system);
Probe judge_space(const FileSystem& file_system);

// errno of each step; 0: success.
struct LockFacts {
  int lock = 0;          // locking a byte
  int second = 0;        // locking it by another descriptor: EAGAIN or EACCES if locks work
  bool is_other = true;  // true if another process tried
};
Probe judge_locks(const LockFacts& facts);

Probe judge_direct_io(int reason);
Probe judge_preallocation(int reason);
Probe judge_io_uring(int reason);

// `free_bytes` of /dev/shm, if known.
Probe judge_shared_memory(bool works, std::optional<std::uint64_t> free_bytes);
// `ptrace_scope`: of the kernel's Yama, if known.
Probe judge_neighbour_memory(bool works, int ranks_on_node, std::optional<int> ptrace_scope);
// The clock used for measurements, and the spread of the ranks' time of day.
Probe judge_clock(double resolution, double spread);

// Local. errno of opening `path` with O_DIRECT, of preallocating it.
int try_direct_io(const std::string& path) noexcept;
int try_preallocation(const std::string& path) noexcept;
// Local. Locks a byte of `path` during the lifetime of the object.
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

}  // namespace lq::diagnosis
