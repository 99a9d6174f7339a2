// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The threads of a rank for one operation: the calling thread, and helpers that do not call MPI. If helpers cannot be
// created, the operation runs with fewer. Passing work to them allocates no memory.
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

// The requested number of threads; 0: one for each core that the calling thread may use, for processes that share these
// with no other rank (comm/node.hpp).
inline int count_or_cores(int asked) noexcept { return asked > 0 ? asked : base::usable_cores(); }

class Team {
 public:
  using Work = base::FunctionRef<void(int thread)>;

  // This many threads including the calling one, fewer if no more can be started; 1 or less: the calling thread alone.
  explicit Team(int threads) noexcept;
  ~Team();  // waits for the helpers
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const noexcept { return helpers_ + 1; }

  // Runs work(0) in the calling thread and work(1) .. work(size - 1) in the helpers, concurrently. Returns when all
  // have ended; rethrows their exceptions, if several the one of the lowest number.
  void run(Work work);

  // Starts only the helpers' part, which runs until finish(); `work` must outlive that.
  void begin(Work work) noexcept;
  // Waits for the helpers, and rethrows their exceptions.
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
  std::atomic<std::uint32_t> orders_{0};   // number of jobs started
  std::atomic<std::uint32_t> working_{0};  // helpers still running
  bool is_over_ = false;
};

// Distributes items of work over the threads of a team: any free thread takes the next one.

// work(thread, item) for items 0 .. count - 1, started in this order. If items fail, later ones are no longer started.
// The exception of the lowest one is rethrown, which is the one that a single thread would have met.
void parallel_for(Team& team, std::uint64_t count, base::FunctionRef<void(int thread, std::uint64_t item)> work);

// One job at a time on a second thread, if there is a core for it: storage moves a block while the next one is packed
// or checked.

class BackgroundTask {
 public:
  // Without a separate thread, begin() runs the job immediately.
  explicit BackgroundTask(bool has_thread);
  ~BackgroundTask();  // waits for the job
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  bool has_thread() const noexcept { return thread_.joinable(); }
  // Finishes the previous job first.
  void begin(std::function<void()> job);
  // True if there is no job, or it is done.
  bool is_idle() const noexcept { return state_.load(std::memory_order_acquire) != State::ready; }
  // Waits for the job; rethrows its exception.
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
