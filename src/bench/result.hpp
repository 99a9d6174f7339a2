// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results of repeated measurements, the stages of a transfer, the environment of a benchmark, and their
// JSON (docs/reference/json.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/lattice.hpp>
#include <limequat/report.hpp>

#include "base/clock.hpp"

namespace lq::bench {

// The stages of a transfer by any program, and their durations, which explain a loss against the raw limit.

enum class Stage { create, barrier, open, pack, exchange, storage, truncate, sync, close };
inline constexpr std::array<std::string_view, 9> stage_names = {"create", "barrier",  "open", "pack", "exchange",
                                                                "write",  "truncate", "sync", "close"};

// Seconds of each; 0 if a program has no such stage.
class StageSeconds {
 public:
  double& operator[](Stage stage) { return seconds_[static_cast<std::size_t>(stage)]; }
  double operator[](Stage stage) const { return seconds_[static_cast<std::size_t>(stage)]; }
  std::array<double, stage_names.size()>& all() noexcept { return seconds_; }
  const std::array<double, stage_names.size()>& all() const noexcept { return seconds_; }

 private:
  std::array<double, stage_names.size()> seconds_{};
};

// The library's stages, as it reports them: open includes creating the file and waiting for other ranks.
inline StageSeconds stages_of(const StepSeconds& steps) {
  StageSeconds stages;
  stages[Stage::open] = steps.open;
  stages[Stage::pack] = steps.pack;
  stages[Stage::exchange] = steps.exchange;
  stages[Stage::storage] = steps.storage;
  stages[Stage::truncate] = steps.reserve;
  stages[Stage::sync] = steps.sync;
  return stages;
}

// A clock that is read at the end of each stage.
class StageWatch {
 public:
  void end_of(Stage stage) {
    const double now = watch_.seconds();
    stages_[stage] += now - before_;
    before_ = now;
  }
  const StageSeconds& stages() const noexcept { return stages_; }

 private:
  base::Stopwatch watch_;
  double before_ = 0;
  StageSeconds stages_;
};

// Where a benchmark ran, as JSON, without anything that identifies the machine: no host, user or directory.

// Local. {"version", "compiler", "processor", "cores", "system", "mpi", "file_system", "runs", "date"}
// `mpi`: the name and version of the library.
std::string environment_json(const std::string& mpi, const std::string& directory, int runs);

// Of `values`, by linear interpolation between neighbours; 0 for an empty list. share 0.5: the median.
double quantile(std::vector<double> values, double share);
inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

// Seconds of a repeated operation. The first run pays for page tables and cold caches and is stored separately.
class Series {
 public:
  void add(double seconds) {
    if (is_empty_) {
      first_ = seconds;
      is_empty_ = false;
    } else {
      rest_.push_back(seconds);
    }
  }
  double first() const noexcept { return first_; }
  // All but the first; the first if there is no other.
  std::vector<double> counted() const { return rest_.empty() && !is_empty_ ? std::vector{first_} : rest_; }
  double at(double share) const { return quantile(counted(), share); }
  double median() const { return at(0.5); }
  double mean() const;
  double trimmed_mean() const;  // without the shortest and the longest, if there are more than two
  double error() const;         // of the mean; 0 for fewer than two

 private:
  bool is_empty_ = true;
  double first_ = 0;
  std::vector<double> rest_;
};

// In the order of Stage.
struct StageSeries {
  std::array<Series, stage_names.size()> all;

  const Series& operator[](Stage stage) const { return all[static_cast<std::size_t>(stage)]; }
  void add(const StageSeconds& stages);
};

// A write during a compute loop.
struct OverlapTimes {
  std::string load;  // "cache", "memory": where the data of the loop are
  Series compute;    // the loop alone
  Series alone;      // the transfer alone
  Series raw;        // the loop and the raw transfer of the same bytes, each in a thread
};

struct Result {
  std::string name = "lattice";     // "lattice", "overlap", or the name of a peer
  std::string direction = "write";  // "read", "verify"
  Extents lattice, grid;
  int ranks = 1;
  int threads = 0;                // of each rank; 0: not stated
  std::uint64_t aggregators = 0;  // ranks that access the file, as requested; 0: not stated
  std::string strategy = "auto";  // as requested
  std::string strategy_taken;     // empty: unknown
  std::string format, verify, precision;
  std::string layout = {};      // of the data in the file, if the format has variants: "qlua, chunks slice, deflate:6"
  std::uint64_t alignment = 0;  // as requested
  std::string cache = "warm";   // or "cold"
  bool sync = false;
  std::uint64_t bytes = 0;
  // For measurements of a file system: number of files written before the first was read again, number of servers that
  // rates are divided by, and the stripes of the files; 0: not stated.
  std::uint64_t files = 1, servers = 0, stripe_bytes = 0;
  std::string split = {};  // the divided dimensions: "xyz"
  Series seconds, raw;
  std::optional<StageSeries> stages;
  // How much longer than the fastest rank the slowest one took, in total and in each stage, if measured.
  std::optional<Series> skew;
  std::optional<StageSeries> stage_skews;
  std::optional<std::uint64_t> memory_bytes;  // at the peak, in addition to the field; largest of all ranks
  std::optional<OverlapTimes> beside;

  double ratio_to_raw() const;
  // For a transfer during a compute loop: both together, in units of the longer one alone.
  double ratio_to_longer() const;
  // The same for the raw transfer: what the machine allows.
  double raw_to_longer() const;
  // Fraction of the shorter one hidden by the longer one: 1 all of it, 0 nothing.
  double hidden_share() const;
};

// For streams of tasks.
struct TaskResult {
  std::string part;       // "create", "transfer"
  std::string name;       // of the side
  std::string direction;  // "create", "write", "read"
  std::string verify = "none";
  int tasks = 1, files = 1, shift = 0;
  std::uint64_t block = 0;  // chunks begin at multiples of this number of bytes; 0: the file system's block
  std::uint64_t bytes = 0;  // of all streams
  std::string cache = "warm";
  bool sync = false;
  Series seconds, raw;  // raw: one file per task, in the same rounds

  double ratio_to_raw() const;
};

// {"environment": {...}, "results": [...]}
std::string to_json(const std::string& environment, const std::vector<Result>& results);
std::string to_json(const std::string& environment, const std::vector<TaskResult>& results);

}  // namespace lq::bench
