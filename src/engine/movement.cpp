// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/movement.hpp"

#include <utility>

#include "base/backoff.hpp"
#include "base/interruption.hpp"

namespace lq::engine {

Progress Movement::step() {
  if (!ended_by_ && base::is_interrupted()) end_by(base::interruption());
  const Progress progress = take_step();
  if (tell_ && progress == Progress::moved) tell(passed());
  if (tell_ && progress == Progress::finished && !is_cancelled()) tell({1, 1});
  if (progress == Progress::finished && ended_by_) std::rethrow_exception(ended_by_);
  return progress;
}

void Movement::report_progress_in_bytes(lq::Progress progress, std::uint64_t bytes) {
  tell_ = std::move(progress);
  bytes_ = bytes;
}

void Movement::tell(const Passed& now) noexcept {
  if (now.of == 0) return;
  const double part = static_cast<double>(now.done) / static_cast<double>(now.of);
  const std::uint64_t done =
      now.done < now.of ? static_cast<std::uint64_t>(part * static_cast<double>(bytes_)) : bytes_;
  if (done <= told_) return;
  told_ = done;
  try {
    tell_(done, bytes_);
  } catch (...) {
    end_by(std::current_exception());
  }
}

// Other ranks may count on this one, so that it goes on without moving anything.
void Movement::end_by(std::exception_ptr reason) noexcept {
  ended_by_ = std::move(reason);
  tell_ = nullptr;
  cancel();
}

void run(Movement& movement) {
  base::Backoff backoff(base::Backoff::Who::rank);
  for (;;) {
    switch (movement.step()) {
      case Progress::finished:
        return;
      case Progress::moved:
        backoff.reset();
        break;
      case Progress::waiting:
        backoff.wait();
        break;
    }
  }
}

std::exception_ptr outcome_of(Movement& movement) noexcept {
  try {
    run(movement);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace lq::engine
