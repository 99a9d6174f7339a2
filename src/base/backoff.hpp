// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for something that another core does: first without leaving the core, then leaving it to others, then
// asleep, so that short waits are short and long ones take nothing from those who compute.
#pragma once

#include <time.h>

#include <thread>

namespace lq::base {

class Backoff {
 public:
  void wait() noexcept {
    ++waits_;
    if (waits_ <= spins) return pause();
    if (waits_ <= yields) return std::this_thread::yield();
    const timespec nap{0, 50'000};
    ::nanosleep(&nap, nullptr);
  }
  void reset() noexcept { waits_ = 0; }

 private:
  static constexpr int spins = 32;
  static constexpr int yields = 4000;

  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  int waits_ = 0;
};

}  // namespace lq::base
