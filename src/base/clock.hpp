// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Seconds for reports, and the time of day for time stamps.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/inner.hpp"

namespace lq::base {

class Stopwatch {
 public:
  double seconds() const noexcept {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Adds the lifetime of the object to a total.
class ScopedSeconds {
 public:
  explicit ScopedSeconds(double& total) noexcept : total_(total) {}
  ~ScopedSeconds() { total_ += watch_.seconds(); }
  ScopedSeconds(const ScopedSeconds&) = delete;
  ScopedSeconds& operator=(const ScopedSeconds&) = delete;

 private:
  double& total_;
  Stopwatch watch_;
};

// Since 1970.
inline std::int64_t microseconds_now() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Times as texts that sort: "2026-11-25T20:00:00Z".

LQ_INNER std::int64_t seconds_now() noexcept;         // since 1970, as time stamps of files count
LQ_INNER std::string utc_text(std::int64_t seconds);  // years 0 to 9999; clamped to these

}  // namespace lq::base
