// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state passes the job and its failure from one thread to the other and back; a block takes some hundred
// microseconds, which is too short to sleep and be woken.
#include "comm/background_task.hpp"

#include <utility>

#include "base/backoff.hpp"
#include "base/interruption.hpp"

namespace lq::comm {

BackgroundTask::BackgroundTask(bool has_thread) {
  if (!has_thread) return;
  try {
    thread_ = base::start_quiet_thread([this] { serve(); });
  } catch (...) {
    // There are no threads to be had, or no memory for one: it goes without.
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
