// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of the file system that are under way, for whoever watches them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace lq::storage {

// For as long as it lives the call is under way. Nothing of it is kept where nobody watches. `path` outlives it.
class WatchedCall {
 public:
  WatchedCall(const char* name, const std::string& path, std::uint64_t offset = 0, std::uint64_t bytes = 0) noexcept;
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;

 private:
  friend class StallWatch;
  using Time = std::chrono::steady_clock::time_point;

  const char* name_;
  const std::string& path_;
  std::uint64_t offset_, bytes_;
  bool is_listed_ = false;
  Time begun_, tell_at_;
  WatchedCall* next_ = nullptr;
  WatchedCall* before_ = nullptr;
};

}  // namespace lq::storage
