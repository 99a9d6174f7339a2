// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The threads that a rank works with for the time of one operation: the caller's, and helpers that call no MPI. Helpers
// that cannot be made are done without. Handing them work needs no memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>

#include "base/function_ref.hpp"

namespace lq::comm {

class Team {
 public:
  using Work = base::FunctionRef<void(int thread)>;

  // So many threads together with the caller's, fewer where no more can be started; 1 or less: the caller's alone.
  explicit Team(int threads) noexcept;
  ~Team();  // waits for the helpers
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const noexcept { return helpers_ + 1; }

  // work(0) in the caller's thread and work(1) .. work(size - 1) in the helpers, side by side. Returns when all have
  // ended; rethrows what was thrown, of several the one of the lowest number.
  void run(Work work);

  // The helpers' part of this alone: it is going on until finish(), and `work` outlives that.
  void begin(Work work) noexcept;
  // Waits for the helpers, and rethrows what they threw.
  void finish();

 private:
  struct Helper {
    std::thread thread;
    std::exception_ptr failure;
  };

  void serve(int thread) noexcept;
  void wait_for_helpers() const noexcept;

  std::unique_ptr<Helper[]> all_;
  int helpers_ = 0;
  std::optional<Work> work_;
  std::atomic<std::uint32_t> orders_{0};   // how many times they were told to do something
  std::atomic<std::uint32_t> working_{0};  // helpers that have not ended yet
  bool is_over_ = false;
};

}  // namespace lq::comm
