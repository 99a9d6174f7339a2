// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of repeated measurements, the stages of a transfer, where a benchmark ran, and what becomes of them in its
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

// The stages of a transfer, whoever makes it, and how long each took: what a loss against the raw limit is made of.

enum class Stage { create, barrier, open, pack, exchange, storage, truncate, sync, close };
inline constexpr std::array<std::string_view, 9> stage_names = {"create", "barrier",  "open", "pack", "exchange",
                                                                "write",  "truncate", "sync", "close"};

// Seconds of each; 0 where a program has no such stage.
class StageSeconds {
 public:
  double& operator[](Stage stage) { return seconds_[static_cast<std::size_t>(stage)]; }
  double operator[](Stage stage) const { return seconds_[static_cast<std::size_t>(stage)]; }
  std::array<double, stage_names.size()>& all() noexcept { return seconds_; }
  const std::array<double, stage_names.size()>& all() const noexcept { return seconds_; }

 private:
  std::array<double, stage_names.size()> seconds_{};
};

// Those of the library, as it reports them: what it calls open holds creating and waiting for each other.
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

// Where a benchmark ran, as JSON. Nothing that tells whose machine it was: no host, user or directory.

// Local. {"version", "compiler", "processor", "cores", "system", "mpi", "file_system", "runs", "date"}
// `mpi`: the library in its own words.
std::string environment_json(const std::string& mpi, const std::string& directory, int runs);

// Of `values`, by linear interpolation between neighbours; 0 for none. share 0.5: the median.
double quantile(std::vector<double> values, double share);
inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

// Seconds of one thing done again and again. The first time pays for page tables and cold caches and stands apart.
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
  // All but the first; the first where there is no other.
  std::vector<double> counted() const { return rest_.empty() && !is_empty_ ? std::vector{first_} : rest_; }
  double at(double share) const { return quantile(counted(), share); }
  double median() const { return at(0.5); }
  double mean() const;
  double trimmed_mean() const;  // without the shortest and the longest, where there are more than two
  double error() const;         // of the mean; 0 where there are fewer than two

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

// What a write looked like beside a compute loop.
struct BesideCompute {
  std::string load;  // "cache", "memory": where the loop works
  Series compute;    // the loop alone
  Series alone;      // the transfer alone
  Series raw;        // the loop and the raw transfer of the same bytes, each in a thread
};

struct Result {
  std::string name = "lattice";     // "lattice", "overlap", or the name of a peer
  std::string direction = "write";  // "read", "verify"
  Extents lattice, grid;
  int ranks = 1;
  int threads = 0;                // of each rank; 0: not said
  std::string strategy = "auto";  // as asked for
  std::string strategy_taken;     // empty: unknown
  std::string format, verify, precision;
  std::string layout = {};  // of the data in the file, where the format knows several: "qlua, chunks slice, deflate:6"
  std::uint64_t alignment = 0;  // that was asked for
  std::string cache = "warm";   // or "cold"
  bool sync = false;
  std::uint64_t bytes = 0;
  // Of measurements of a file system: how many files were written before the first was read again, the servers that
  // rates are divided by, and the stripes of the files; 0: not said.
  std::uint64_t files = 1, servers = 0, stripe_bytes = 0;
  std::string split = {};  // the dimensions that are divided: "xyz"
  Series seconds, raw;
  std::optional<StageSeries> stages;
  // How long the slowest rank took beyond the fastest one, all in all and in each stage, where that was measured.
  std::optional<Series> skew;
  std::optional<StageSeries> stage_skews;
  std::optional<std::uint64_t> memory_bytes;  // at the peak, beyond the field; of the rank with most of it
  std::optional<BesideCompute> beside;

  double ratio_to_raw() const;
  // Of a transfer beside a compute loop: both together, in units of the longer one alone.
  double ratio_to_longer() const;
  // The same of the raw transfer: what the machine allows.
  double raw_to_longer() const;
  // How much of the shorter one was hidden behind the longer one: 1 all of it, 0 nothing.
  double hidden_share() const;
};

// Of streams of tasks.
struct TaskResult {
  std::string part;       // "create", "transfer"
  std::string name;       // of the side
  std::string direction;  // "create", "write", "read"
  std::string verify = "none";
  int tasks = 1, files = 1, shift = 0;
  std::uint64_t block = 0;  // bytes at whose multiples chunks were to begin; 0: those of the file system
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
