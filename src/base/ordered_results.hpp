// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads work on numbered items; the calling thread receives the results in the order of the numbers.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/interruption.hpp"

namespace lq::base {

template <class Result, class Work>
class OrderedResults {
 public:
  OrderedResults(std::uint64_t count, int threads, const Work& work)
      : count_(count), slots_(static_cast<std::size_t>(threads) * 32), work_(work) {
    threads_.reserve(static_cast<std::size_t>(threads));
    try {
      for (int i = 0; i < threads; ++i) threads_.push_back(start_thread_signals_blocked([this] { run(); }));
    } catch (...) {
      // No more threads or no memory for one: continue with fewer, or on the calling thread.
    }
  }
  ~OrderedResults() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  OrderedResults(const OrderedResults&) = delete;
  OrderedResults& operator=(const OrderedResults&) = delete;

  // The next result, or the exception of its work.
  Result take() {
    if (threads_.empty()) return work_(taken_++);
    std::unique_lock lock(mutex_);
    Slot& slot = slots_[taken_ % slots_.size()];
    const auto is_there = [&] { return slot.result || slot.failure; };
    while (may_be_interrupted() && !is_there()) {
      changed_.wait_for(lock, std::chrono::milliseconds(50), is_there);
      lock.unlock();  // the check may take long
      throw_if_interrupted();
      lock.lock();
    }
    changed_.wait(lock, is_there);
    const std::exception_ptr failure = std::exchange(slot.failure, nullptr);
    std::optional<Result> result = std::exchange(slot.result, std::nullopt);
    ++taken_;
    lock.unlock();
    changed_.notify_all();
    if (failure) std::rethrow_exception(failure);
    return std::move(*result);
  }

 private:
  struct Slot {
    std::optional<Result> result;
    std::exception_ptr failure;
  };

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ends_ || begun_ == count_ || begun_ < taken_ + slots_.size(); });
      if (ends_ || begun_ == count_) return;
      const std::uint64_t number = begun_++;
      lock.unlock();
      Slot made;
      try {
        made.result.emplace(work_(number));
      } catch (...) {
        made.failure = std::current_exception();
      }
      lock.lock();
      slots_[number % slots_.size()] = std::move(made);
      changed_.notify_all();
    }
  }

  std::uint64_t count_, begun_ = 0, taken_ = 0;
  bool ends_ = false;
  std::vector<Slot> slots_;
  const Work& work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
};

// Runs `work(number)` for each number below `count` on the given number of threads, and `take(number, result)` on this
// one. An exception of either ends everything; earlier results have been taken. If the call is interrupted, nothing
// more is taken, because the result of interrupted work may look valid.
template <class Work, class Take>
void in_order(std::uint64_t count, int threads, const Work& work, const Take& take) {
  using Result = std::remove_cvref_t<std::invoke_result_t<const Work&, std::uint64_t>>;
  const auto useful =
      static_cast<int>(std::min<std::uint64_t>(count, static_cast<std::uint64_t>(std::max(threads, 1))));
  if (useful <= 1) {
    for (std::uint64_t number = 0; number < count; ++number) {
      Result result = work(number);
      throw_if_interrupted();
      take(number, std::move(result));
    }
    return;
  }
  OrderedResults<Result, Work> results(count, useful, work);
  for (std::uint64_t number = 0; number < count; ++number) {
    Result result = results.take();
    throw_if_interrupted();
    take(number, std::move(result));
  }
}

}  // namespace lq::base
