// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One job at a time on a second thread, where there is a core for it: storage moves a block while the next one is
// packed or checked.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>

namespace lq::comm {

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
