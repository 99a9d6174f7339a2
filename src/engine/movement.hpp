// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transfer as small steps, so that one code serves a caller who waits and one who computes meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>

#include <limequat/options.hpp>

#include "base/inner.hpp"

namespace lq::engine {

enum class Progress {
  moved,     // a block or chunk went on
  waiting,   // nothing to do until another rank has done something
  finished,  // this rank's part is complete, or has failed on the way
};

// This rank's part of a transfer. Steps are local; those of different ranks may come in any order.
class Movement {
 public:
  virtual ~Movement() = default;
  // Failures of this rank are kept back while others still need it, and thrown by the step that finishes. After
  // cancel() the rank goes on taking part but moves nothing any more.
  // An exception of the one who is told of what has passed counts as a failure of this rank, as does an interruption.
  Progress step();
  // Whether steps exchange messages: they must then come from a thread that may do so.
  virtual bool needs_messages() const noexcept { return false; }
  // Tells the storage what will be read, before the first step.
  virtual void fetch_ahead() noexcept {}
  // From another thread than the one that takes the steps, while it does: takes on a part of what is left to be done,
  // where that can be shared, until all of it has been begun.
  virtual void help() noexcept {}
  // Bytes held beyond the field.
  virtual std::uint64_t memory_bytes() const noexcept = 0;

  // Before the first step. `progress` is called between steps, with bytes out of `bytes` in the proportion in which
  // this rank's part is done.
  void report_progress_in_bytes(lq::Progress progress, std::uint64_t bytes);

  // From any thread.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }

 protected:
  // How much of this rank's part is done, in a unit of its own.
  struct Passed {
    std::uint64_t done = 0, of = 0;
  };

  bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  virtual Progress take_step() = 0;
  virtual Passed passed() noexcept { return {}; }  // asked only where somebody is told
  void tell(const Passed& now) noexcept;
  void end_by(std::exception_ptr reason) noexcept;

  lq::Progress tell_;
  std::uint64_t bytes_ = 0, told_ = 0;
  std::exception_ptr ended_by_;
  std::atomic<bool> cancelled_{false};
};

// All steps, one after the other.
void run(Movement& movement);
// The same; what went wrong, or nullptr.
LQ_INNER std::exception_ptr outcome_of(Movement& movement) noexcept;

}  // namespace lq::engine
