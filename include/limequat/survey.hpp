// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What this machine can do: its parts measured, and known faults of systems looked for. `lq bench parts` and `lq
// doctor` print it; <limequat/mpi.hpp> adds probes of MPI.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/machine.hpp>

namespace lq {

enum class ProbeVerdict : int {
  pass = 0,
  warn = 1,  // works, but slower or with care
  fail = 2,  // data or time would be lost
};
// Local. "PASS", "WARN", "FAIL".
LQ_API std::string_view name(ProbeVerdict verdict) noexcept;

// One question to the machine, and its answer.
struct Probe {
  std::string name;  // stable: "file-system", "locks", ...
  ProbeVerdict verdict = ProbeVerdict::pass;
  std::string found;   // a sentence with facts
  std::string action;  // what to do about it; empty with pass
};
// Local. The worst of the verdicts.
LQ_API ProbeVerdict worst_of(const std::vector<Probe>& probes) noexcept;

struct ExamineOptions {
  double seconds = 10;                              // after which no question is begun; what was left out says so
  std::function<void(const Probe&)> on_probe = {};  // on every rank, as soon as there is an answer
};
// Collective. Tries in `folder` what writing and reading need, and removes what it made. What is found on any rank is
// told; the same answer on all ranks. A file system that fails is an answer, no error. communication: MPI failed.
LQ_API std::vector<Probe> examine(const Communicator& communicator, const std::string& folder,
                                  const ExamineOptions& options = {});

// Local. A file of a probe, which remove_probe_files() removes as long as this lives.
class LQ_API ProbeFile {
 public:
  explicit ProbeFile(std::string path);
  ~ProbeFile();
  ProbeFile(const ProbeFile&) = delete;
  ProbeFile& operator=(const ProbeFile&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
  int place_ = -1;
};
// Local. Removes the files of all probes of this process that are under way. For signal handlers of programs that end:
// it makes no call but unlink(2).
LQ_API void remove_probe_files() noexcept;

// How long the repetitions of one thing took.
struct Repetitions {
  double first = 0;
  double min = 0;
  double median = 0;
  double max = 0;
  std::uint64_t count = 0;
};

struct Part {
  std::string name;             // stable: "memcpy, large", "write, 1 MiB, all ranks", ...
  std::uint64_t bytes = 0;      // moved by all who took part; 0: the time of one call counts
  std::uint64_t calls = 1;      // how often the thing was done in `seconds`
  std::uint64_t ranks = 1;      // who took part
  Repetitions seconds;          // of the slowest rank
  double bytes_per_second = 0;  // by the median
};

struct PartsOptions {
  double seconds = 10;                                   // after which no new round begins
  std::uint64_t file_bytes = std::uint64_t{64} << 20;    // largest file, per rank
  std::uint64_t memory_bytes = std::uint64_t{32} << 20;  // largest array, per rank
  std::uint64_t rounds = 11;                             // at most
};

struct Parts {
  std::string kernels;  // the instruction set in use: "portable", "pclmul", "vpclmul", "avx512", "crc32x", "pmull"
  std::vector<Part> parts;
  Machine machine;  // fitted to them; what was not measured (no second node, say) has its default
};

// Collective. Measures in turns, so that a disturbance meets all parts alike; the file lies in `folder` and is removed.
// invalid_argument: impossible options; no_space: less free than the file needs; errors of writing and reading.
LQ_API Parts measure_parts(const Communicator& communicator, const std::string& folder,
                           const PartsOptions& options = {});

}  // namespace lq
