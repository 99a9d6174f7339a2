// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two counters pass the work to the helpers and report its completion. Jobs are short and often follow immediately, so
// a thread polls the counter for a while before it sleeps on it.
#include "comm/team.hpp"

#include <mutex>
#include <utility>

#include "base/backoff.hpp"
#include "base/interruption.hpp"

namespace lq::comm {

namespace {

constexpr int looks = 20;

// Returns when the value of the counter is no longer `old`.
void wait_for_change(const std::atomic<std::uint32_t>& counter, std::uint32_t old) noexcept {
  for (int i = 0; i < looks; ++i) {
    if (counter.load(std::memory_order_acquire) != old) return;
    std::this_thread::yield();
  }
  counter.wait(old, std::memory_order_acquire);
}

}  // namespace

Team::Team(int threads) noexcept {
  try {
    if (threads > 1) all_ = std::make_unique<Helper[]>(static_cast<std::size_t>(threads - 1));
    for (int i = 1; i < threads; ++i) {
      all_[static_cast<std::size_t>(helpers_)].thread = base::start_thread_signals_blocked([this, i] { serve(i); });
      ++helpers_;
    }
  } catch (...) {
    // No more threads, or no memory for one: continue with fewer.
  }
}

Team::~Team() {
  wait_for_helpers();
  is_over_ = true;
  orders_.fetch_add(1, std::memory_order_release);
  orders_.notify_all();
  for (int i = 0; i < helpers_; ++i) all_[static_cast<std::size_t>(i)].thread.join();
}

void Team::run(Work work) {
  begin(work);
  std::exception_ptr mine;
  try {
    work(0);
  } catch (...) {
    mine = std::current_exception();
  }
  wait_for_helpers();
  if (!mine) return finish();
  for (int i = 0; i < helpers_; ++i) all_[static_cast<std::size_t>(i)].failure = nullptr;
  std::rethrow_exception(mine);
}

void Team::begin(Work work) noexcept {
  if (helpers_ == 0) return;
  work_.emplace(work);
  working_.store(static_cast<std::uint32_t>(helpers_), std::memory_order_relaxed);
  orders_.fetch_add(1, std::memory_order_release);
  orders_.notify_all();
}

void Team::finish() {
  wait_for_helpers();
  std::exception_ptr first;
  for (int i = helpers_ - 1; i >= 0; --i) {
    std::exception_ptr failure = std::exchange(all_[static_cast<std::size_t>(i)].failure, nullptr);
    if (failure) first = std::move(failure);
  }
  if (first) std::rethrow_exception(first);
}

void Team::wait_for_helpers() const noexcept {
  base::Backoff backoff(base::Backoff::Who::helper);
  for (;;) {
    const std::uint32_t left = working_.load(std::memory_order_acquire);
    if (left == 0) return;
    if (base::may_be_interrupted()) {
      base::is_interrupted();  // also sets the state that the helpers see
      backoff.wait();
    } else {
      wait_for_change(working_, left);
    }
  }
}

void Team::serve(int thread) noexcept {
  for (std::uint32_t orders = 0;; ++orders) {
    wait_for_change(orders_, orders);
    if (is_over_) return;
    try {
      (*work_)(thread);
    } catch (...) {
      all_[static_cast<std::size_t>(thread - 1)].failure = std::current_exception();
    }
    if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) working_.notify_all();
  }
}

namespace {

// Of several failed items, the lowest.
class LowestFailure {
 public:
  void keep(std::uint64_t item, std::exception_ptr failure) noexcept {
    const std::lock_guard lock(mutex_);
    if (first_ && item_ < item) return;
    first_ = std::move(failure);
    item_ = item;
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
  std::uint64_t item_ = 0;
};

}  // namespace

void parallel_for(Team& team, std::uint64_t count, base::FunctionRef<void(int thread, std::uint64_t item)> work) {
  if (team.size() == 1) {
    for (std::uint64_t item = 0; item < count; ++item) work(0, item);
    return;
  }
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> has_failed{false};
  LowestFailure failure;
  team.run([&](int thread) {
    while (!has_failed.load(std::memory_order_relaxed)) {
      const std::uint64_t item = next.fetch_add(1, std::memory_order_relaxed);
      if (item >= count) return;
      try {
        work(thread, item);
      } catch (...) {
        failure.keep(item, std::current_exception());
        has_failed.store(true, std::memory_order_relaxed);
      }
    }
  });
  failure.rethrow();
}

// The state passes the job and its failure between the threads; a block takes some hundred microseconds, which is too
// short to sleep and be woken.

BackgroundTask::BackgroundTask(bool has_thread) {
  if (!has_thread) return;
  try {
    thread_ = base::start_thread_signals_blocked([this] { serve(); });
  } catch (...) {
    // No thread, or no memory for one: continue without.
  }
}

BackgroundTask::~BackgroundTask() {
  if (!has_thread()) return;
  wait_until_idle();
  state_.store(State::stop, std::memory_order_release);
  thread_.join();
}

void BackgroundTask::begin(std::function<void()> job) {
  if (!has_thread()) return job();
  finish();
  job_ = std::move(job);
  state_.store(State::ready, std::memory_order_release);
}

void BackgroundTask::finish() {
  if (!has_thread()) return;
  wait_until_idle();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void BackgroundTask::wait_until_idle() const noexcept {
  base::Backoff backoff(base::Backoff::Who::helper);
  while (!is_idle()) backoff.wait();
}

void BackgroundTask::serve() noexcept {
  base::Backoff backoff(base::Backoff::Who::helper);
  for (;;) {
    const State state = state_.load(std::memory_order_acquire);
    if (state == State::stop) return;
    if (state == State::idle) {
      backoff.wait();
      continue;
    }
    try {
      job_();
    } catch (...) {
      failure_ = std::current_exception();
    }
    state_.store(State::idle, std::memory_order_release);
    backoff.reset();
  }
}

}  // namespace lq::comm
