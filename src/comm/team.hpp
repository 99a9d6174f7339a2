// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The threads that a rank works with for the time of one operation: the caller's, and helpers that call no MPI. Helpers
// that cannot be made are done without. Handing them work needs no memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/function_ref.hpp"
#include "base/inner.hpp"
#include "base/system.hpp"

namespace lq::comm {

// So many threads; 0: one for each core that the calling thread may use; for who shares these with no other rank
// (comm/node.hpp).
inline int or_usable_cores(int asked) noexcept { return asked > 0 ? asked : base::usable_cores(); }

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

// Pieces of work dealt out to the threads of a team: whoever is free takes the next one.

// work(thread, item) for items 0 .. count - 1, which begin in this order. Where items fail, those after them do not
// begin any more; what the lowest of them threw is rethrown, which is what one thread alone would have met.
void parallel_for(Team& team, std::uint64_t count, base::FunctionRef<void(int thread, std::uint64_t item)> work);

// One job at a time on a second thread, where there is a core for it: storage moves a block while the next one is
// packed or checked.

class BackgroundTask {
 public:
  // Without a thread of its own, begin() does the job at once.
  explicit BackgroundTask(bool has_thread);
  ~BackgroundTask();  // waits for the job
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  bool has_thread() const noexcept { return thread_.joinable(); }
  // The one before is finished first.
  void begin(std::function<void()> job);
  // There is no job, or it is done.
  bool is_idle() const noexcept { return state_.load(std::memory_order_acquire) != State::ready; }
  // Waits for the job; rethrows what it threw.
  void finish();

 private:
  enum class State { idle, ready, stop };

  void serve() noexcept;
  void wait_until_idle() const noexcept;

  std::function<void()> job_;
  std::exception_ptr failure_;
  std::atomic<State> state_{State::idle};
  std::thread thread_;
};

}  // namespace lq::comm
