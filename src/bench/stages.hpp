// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The stages of a transfer, whoever makes it, and how long each took: what a loss against the raw limit is made of.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <limequat/report.hpp>

#include "base/clock.hpp"

namespace lq::bench {

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

}  // namespace lq::bench
