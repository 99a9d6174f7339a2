// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A progress bar on stderr: only on a terminal, from the root, not with --quiet, and only for what takes longer
// than half a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <limequat/inspect.hpp>

#include "cli/session.hpp"

namespace lq::cli {

class ProgressBar {
 public:
  ProgressBar(const Session& session, std::string label);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::uint64_t done, std::uint64_t total);
  void clear();
  // For calls of the library; valid as long as this bar.
  Progress callback();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool visible_ = false;
  std::string label_;
  Clock::time_point next_;
};

}  // namespace lq::cli
