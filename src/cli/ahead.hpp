// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Answers about many files, found by several threads and told in the order of the files. For one process alone: threads
// make no collective calls.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "threads/team.hpp"

namespace lq::cli {

template <class Answer>
class Ahead {
 public:
  // find(i) answers for file number i of `count`, in any thread.
  Ahead(int threads, std::size_t count, std::function<Answer(std::size_t)> find)
      : find_(std::move(find)), count_(count), answers_(std::make_unique<Found[]>(count)), team_(threads) {
    team_.begin(help_);
  }
  ~Ahead() { next_.store(count_); }  // what nobody asked for yet is left
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  // The answer, or what was thrown; once for each. Whoever waits for it finds others meanwhile.
  Answer take(std::size_t i) {
    Found& found = answers_[i];
    while (!found.is_done.load(std::memory_order_acquire)) {
      if (!find_next()) found.is_done.wait(false, std::memory_order_acquire);
    }
    if (found.failure) std::rethrow_exception(found.failure);
    return std::move(*found.answer);
  }

 private:
  struct Found {
    std::atomic<bool> is_done{false};
    std::optional<Answer> answer;
    std::exception_ptr failure;
  };

  // False: all are found, or being found.
  bool find_next() noexcept {
    const std::size_t i = next_.fetch_add(1);
    if (i >= count_) return false;
    Found& found = answers_[i];
    try {
      found.answer.emplace(find_(i));
    } catch (...) {
      found.failure = std::current_exception();
    }
    found.is_done.store(true, std::memory_order_release);
    found.is_done.notify_all();
    return true;
  }

  struct Help {
    Ahead& all;
    void operator()(int) const {
      while (all.find_next()) {
      }
    }
  };

  std::function<Answer(std::size_t)> find_;
  std::size_t count_;
  std::unique_ptr<Found[]> answers_;
  std::atomic<std::size_t> next_{0};
  const Help help_{*this};
  threads::Team team_;  // uses the others
};

}  // namespace lq::cli
