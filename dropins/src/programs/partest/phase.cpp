// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "programs/partest/phase.hpp"

#include <sion.h>

#include <algorithm>

#include <fmt/format.h>

namespace lq::partest {
namespace {

class Clock {
 public:
  // Seconds since the last call.
  double lap() {
    const double now = MPI_Wtime();
    const double passed = now - last_;
    last_ = now;
    return passed;
  }

 private:
  double last_ = MPI_Wtime();
};

// The sentence of the first task that has one.
std::string agreed(const Tasks& tasks, const std::string& failure) {
  const std::vector<std::string> all = tasks.all->gather(failure);
  const auto first = std::ranges::find_if(all, [](const std::string& text) { return !text.empty(); });
  return tasks.all->broadcast(first == all.end() ? "" : fmt::format("task {}: {}", first - all.begin(), *first));
}

void wait(const Tasks& tasks, Clock& clock, double& for_file, double& for_all) {
  clock.lap();
  tasks.of_file->barrier();
  for_file = clock.lap();
  tasks.all->barrier();
  for_all = clock.lap();
}

// Byte i of each call of a task.
std::vector<std::byte> pattern(int task, std::int64_t bytes) {
  std::vector<std::byte> data(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<std::byte>((31 * i + 57 * static_cast<std::size_t>(task) + 7 * (i / 256)) & 255);
  }
  return data;
}

// The calls of one task, or of all where they are collective. Only these count as I/O, not the comparison.
class Mover {
 public:
  Mover(const Settings& settings, const Tasks& tasks, Target& target, bool writes, int source)
      : settings_(settings),
        target_(target),
        writes_(writes),
        source_(source),
        expected_(pattern(source, std::max(settings.piece_bytes, settings.first_bytes))) {
    if (!writes) buffer_.resize(expected_.size());
    const bool is_collective = writes ? settings.collective_write : settings.collective_read;
    calls_ = settings.pieces_of(source);
    if (is_collective) {
      for (int task = 0; task < tasks.count; ++task) calls_ = std::max(calls_, settings.pieces_of(task));
    }
  }

  // A failure, or nothing.
  std::string run() {
    std::string failure;
    for (std::int64_t call = 0; call < calls_; ++call) {
      const auto size = static_cast<std::size_t>(settings_.piece_of(source_, call));
      Clock clock;
      const bool moved =
          writes_ ? target_.write(std::span(expected_).first(size)) : target_.read(std::span(buffer_).first(size));
      moving_ += clock.lap();
      if (!moved && failure.empty()) failure = fmt::format("{} number {} failed", writes_ ? "write" : "read", call);
      if (moved && !writes_ && settings_.checks && failure.empty() && !is_as_written(size)) {
        failure = fmt::format("read number {} gave other data than were written", call);
      }
      checking_ += clock.lap();
    }
    return failure;
  }

  // Seconds.
  double moving() const noexcept { return moving_; }
  double checking() const noexcept { return checking_; }

 private:
  bool is_as_written(std::size_t size) const {
    return std::equal(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(size), expected_.begin());
  }

  const Settings& settings_;
  Target& target_;
  bool writes_;
  int source_;
  std::int64_t calls_ = 0;
  std::vector<std::byte> expected_;
  std::vector<std::byte> buffer_;
  double moving_ = 0;
  double checking_ = 0;
};

// As many tasks at once as may be.
std::string move(const Settings& settings, const Tasks& tasks, bool is_collective, Mover& mover) {
  const int at_once = settings.at_once == -2 ? 1 : settings.at_once;
  if (at_once < 0 || is_collective) return mover.run();
  std::string failure;
  for (int first = 0; first < tasks.count; first += std::min(at_once, tasks.count - first)) {
    if (tasks.rank >= first && tasks.rank - first < at_once) failure = mover.run();
    tasks.all->barrier();
  }
  return failure;
}

}  // namespace

Outcome run_phase(const Settings& settings, const Tasks& tasks, Target& target, bool writes) {
  Outcome outcome;
  Times& times = outcome.times;
  const int threads = std::max(tasks.threads, 1);
  const int shift = settings.shift % (tasks.count / threads) * threads;
  const int source = writes ? tasks.rank : (tasks.rank + shift + tasks.count) % tasks.count;
  Mover mover(settings, tasks, target, writes, source);
  tasks.all->barrier();
  Clock clock;
  Clock whole;
  const bool is_open = target.open(writes, source);
  times.open = clock.lap();
  wait(tasks, clock, times.file_open, times.all_open);
  const std::string no_file = fmt::format("cannot open {} for {}", settings.file, writes ? "writing" : "reading");
  outcome.failure = agreed(tasks, is_open ? "" : no_file);
  if (!outcome.failure.empty()) {
    if (is_open) target.close();
    return outcome;
  }
  const bool is_collective = writes ? settings.collective_write : settings.collective_read;
  const std::string failure = move(settings, tasks, is_collective, mover);
  times.io = mover.moving();
  wait(tasks, clock, times.file_io, times.all_io);
  clock.lap();
  const bool is_closed = target.close();
  times.close = clock.lap();
  wait(tasks, clock, times.file_close, times.all_close);
  times.total = whole.lap() - mover.checking();
  times.bytes = static_cast<double>(settings.bytes_of(source));
  times.calls = static_cast<double>(settings.pieces_of(source));
  outcome.failure = agreed(tasks, !failure.empty() ? failure : is_closed ? "" : "the close failed");
  return outcome;
}

}  // namespace lq::partest
