// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limits the rate of reading, for any number of reading threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace lq::ensemble {

// Bytes per second of "100M", "1.5G"; K, M, G, T are powers of a thousand. invalid_argument.
double rate_of(const std::string& text);

class Pace {
 public:
  explicit Pace(double bytes_per_second) : rate_(bytes_per_second) {}

  // Any thread. Returns when the rate allows that many more bytes. io with ECANCELED if the call was interrupted.
  void wait_for(std::uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;

  double rate_;
  std::mutex mutex_;
  Clock::time_point next_ = Clock::now();  // when the bytes requested so far are due
};

}  // namespace lq::ensemble
