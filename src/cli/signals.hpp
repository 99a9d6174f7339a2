// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is done when somebody tells this program to end.
#pragma once

#include <array>
#include <csignal>

namespace lq::cli {

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

}  // namespace lq::cli
