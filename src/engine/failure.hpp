// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank that fails while others count on it: it keeps its failure, goes on taking part, and does no work any more.
#pragma once

#include <exception>

namespace lq::engine {

class Failure {
 public:
  // Runs `work` unless something failed before.
  template <class Work>
  void guard(Work&& work) {
    if (stopped_) return;
    try {
      work();
    } catch (...) {
      first_ = std::current_exception();
      stopped_ = true;
    }
  }
  // From now on no work is done.
  void stop() noexcept { stopped_ = true; }
  bool is_stopped() const noexcept { return stopped_; }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
  bool stopped_ = false;
};

}  // namespace lq::engine
