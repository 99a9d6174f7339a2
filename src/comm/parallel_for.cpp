// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/parallel_for.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace lq::comm {
namespace {

// Of several items that fail at once, the lowest.
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

}  // namespace lq::comm
