// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Examines this machine: measures its parts, and tests for known faults of systems. `lq bench parts` and `lq doctor`
// print the results; <limequat/mpi.hpp> adds probes of MPI.
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

// One question about the machine, and its answer.
struct Probe {
  std::string name;  // stable: "file-system", "locks", ...
  ProbeVerdict verdict = ProbeVerdict::pass;
  std::string found;   // a sentence with facts
  std::string action;  // what to do about it; empty with pass
};
// Local. The worst of the verdicts.
LQ_API ProbeVerdict worst_of(const std::vector<Probe>& probes) noexcept;

struct ExamineOptions {
  double seconds = 10;                              // time limit for starting questions; skipped ones are reported
  std::function<void(const Probe&)> on_probe = {};  // called on every rank, as soon as an answer is known
};
// Collective. Tries in `folder` what writing and reading need, and removes the files it created. Findings of any rank
// are reported, the same on all ranks. A file system that fails is an answer, not an error. communication: MPI failed.
LQ_API std::vector<Probe> examine(const Communicator& communicator, const std::string& folder,
                                  const ExamineOptions& options = {});

// Local. A file of a probe, which remove_probe_files() removes while this object exists.
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
// Local. Removes the files of all running probes of this process. For signal handlers of programs that end: it makes no
// call except unlink(2).
LQ_API void remove_probe_files() noexcept;

// The seconds that repetitions of one operation took.
struct Repetitions {
  double first = 0;
  double min = 0;
  double median = 0;
  double max = 0;
  std::uint64_t count = 0;
};

struct Part {
  std::string name;             // stable: "memcpy, large", "write, 1 MiB, all ranks", ...
  std::uint64_t bytes = 0;      // moved by all participating ranks; 0: the time of one call counts
  std::uint64_t calls = 1;      // number of operations in `seconds`
  std::uint64_t ranks = 1;      // number of participating ranks
  Repetitions seconds;          // of the slowest rank
  double bytes_per_second = 0;  // by the median
};

struct PartsOptions {
  double seconds = 10;                                   // time limit for starting new rounds
  std::uint64_t file_bytes = std::uint64_t{64} << 20;    // largest file, per rank
  std::uint64_t memory_bytes = std::uint64_t{32} << 20;  // largest array, per rank
  std::uint64_t rounds = 11;                             // maximum
};

struct Parts {
  std::string kernels;  // the instruction set in use: "portable", "pclmul", "vpclmul", "avx512", "crc32x", "pmull"
  std::vector<Part> parts;
  Machine machine;  // fitted to them; values that were not measured (no second node, for example) have defaults
};

// Collective. Measures alternately, so that a disturbance affects all parts alike; the file is in `folder` and is
// removed. invalid_argument: impossible options; no_space: less free than the file needs; errors of writing and
// reading.
LQ_API Parts measure_parts(const Communicator& communicator, const std::string& folder,
                           const PartsOptions& options = {});

}  // namespace lq
