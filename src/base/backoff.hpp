// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for something that another core does: first without leaving the core, then leaving it to others, then
// asleep, so that short waits are short and long ones take nothing from those who compute.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace lq::base {

class Backoff {
 public:
  // Who waits: a helper, beside whom the application computes; or a rank that others wait for in turn. Ranks stay awake
  // longer, as they do inside MPI, while nobody else wants the core: a virtual core that falls idle takes long to come
  // back, and with it whatever serves the file system there.
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
    constexpr std::chrono::microseconds of_a_free_core{5};  // a yield on a core that others want takes longer
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
