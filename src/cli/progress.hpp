// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A progress bar on stderr: only on a terminal, from the root, not with --quiet, and only for what takes longer
// than half a second. And the end of the work when somebody tells this program to end: the library takes back what is
// not complete, and then the signal does what it does.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>

#include <limequat/inspect.hpp>

#include "cli/session.hpp"

namespace lq::cli {

// What is done when somebody tells this program to end.

// While it lives, the signals that end a program call `handler`; those that are ignored stay so.
class OnEnding {
 public:
  explicit OnEnding(void (*handler)(int)) {
    for (std::size_t i = 0; i < signals.size(); ++i) {
      before_[i] = std::signal(signals[i], handler);
      if (before_[i] == SIG_IGN) std::signal(signals[i], SIG_IGN);
    }
  }
  ~OnEnding() {
    for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], before_[i]);
  }
  OnEnding(const OnEnding&) = delete;
  OnEnding& operator=(const OnEnding&) = delete;

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<void (*)(int), signals.size()> before_{};
};

class ProgressBar {
 public:
  ProgressBar(const Session& session, std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Throws where a signal came meanwhile.
  void show(std::uint64_t done, std::uint64_t total);
  void clear();
  // For calls of the library; valid as long as this bar.
  Progress callback();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  std::optional<OnEnding> on_ending_ = {};  // of one process; launchers of several have ways of their own
  bool visible_ = false;
  std::string label_;
  Clock::time_point next_;
};

}  // namespace lq::cli
