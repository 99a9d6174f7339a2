// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for another core: first spinning, then yielding, then sleeping. Short waits stay short, and long ones take no
// time from threads that compute.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace lq::base {

class Backoff {
 public:
  // The waiting thread: a helper that runs while the application computes, or a rank that other ranks depend on. Ranks
  // stay awake longer, as inside MPI, as long as no other thread wants the core: an idle virtual core takes long to
  // wake up, and with it whatever serves the file system there.
  enum class Who { helper, rank };

  explicit Backoff(Who who) noexcept : who_(who) {}
  void wait() noexcept {
    ++waits_;
    if (waits_ <= spins) return pause();
    if (waits_ == spins + 1) begun_ = Clock::now();
    if (waits_ <= yields || stays_awake()) return std::this_thread::yield();
    const timespec nap{0, 50'000};
    ::nanosleep(&nap, nullptr);
  }
  void reset() noexcept { waits_ = 0; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::int64_t spins = 32;
  static constexpr std::int64_t yields = 4000;

  bool stays_awake() const noexcept {
    constexpr std::chrono::seconds longest{10};
    constexpr std::chrono::microseconds of_a_free_core{5};  // a yield takes longer if other threads want the core
    if (who_ == Who::helper) return false;
    const auto passed = Clock::now() - begun_;
    return passed < longest && passed < waits_ * of_a_free_core;
  }
  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  Who who_;
  std::int64_t waits_ = 0;
  Clock::time_point begun_;
};

}  // namespace lq::base
