// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A progress bar on stderr: only on a terminal, from the root, not with --quiet, and only for what takes longer
// than half a second. Also handles signals that end the program: the library removes incomplete
// files, and then the signal takes its usual effect.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>

#include <limequat/inspect.hpp>
#include <limequat/interrupt.hpp>

#include "base/ordered_results.hpp"
#include "cli/session.hpp"

namespace lq::cli {

// Action when a signal asks this program to end.

// During its lifetime, signals that end a program call `handler`; ignored signals stay ignored.
class OnEnding {
 public:
  explicit OnEnding(void (*handler)(int)) {
    for (std::size_t i = 0; i < signals.size(); ++i) {
      before_[i] = std::signal(signals[i], handler);
      if (before_[i] == SIG_IGN) std::signal(signals[i], SIG_IGN);
    }
  }
  ~OnEnding() {
    for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], before_[i]);
  }
  OnEnding(const OnEnding&) = delete;
  OnEnding& operator=(const OnEnding&) = delete;

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<void (*)(int), signals.size()> before_{};
};

// Whether such a signal was remembered.
bool is_asked_to_end() noexcept;

// During its lifetime, such a signal is remembered, and calls of the library end early. The destructor of the outermost
// object then lets the signal take its usual effect. Another signal, half a second later or more, ends the program
// immediately: launchers pass on what ranks receive from the terminal as well.
class EndsBySignals {
 public:
  // `tell`: passes the number of this rank's signal on to the other ranks, and returns one that any rank received.
  explicit EndsBySignals(int (*tell)(int number) noexcept = nullptr);
  ~EndsBySignals();
  EndsBySignals(const EndsBySignals&) = delete;
  EndsBySignals& operator=(const EndsBySignals&) = delete;

  // Collective, by an object of all ranks, when their work has ended: all of them end by the signal that one received.
  // Otherwise the other ranks wait in MPI_Finalize for the one that is gone. `finish`: the largest number of all ranks.
  void agree(int (*finish)(int number));

 private:
  std::optional<OnEnding> on_ending_;
  Interruptible interruptible_;
};

// Collective, between two files. Throws on all ranks if a signal told one of them to end.
void end_if_asked(const Session& session);

class ProgressBar {
 public:
  ProgressBar(const Session& session, std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Throws if a signal arrived.
  void show(std::uint64_t done, std::uint64_t total);
  void clear();
  // For calls of the library; valid during the lifetime of this bar.
  Progress callback();

 private:
  using Clock = std::chrono::steady_clock;
  bool is_alone_;  // ranks end together, by the library
  bool enabled_;
  EndsBySignals ends_by_signals_;
  bool visible_ = false;
  std::string label_;
  Clock::time_point next_;
};

// How many items are processed at a time, and with how many threads each: one process alone takes several,
// ranks share each of them.
struct AtOnce {
  AtOnce(const Session& session, std::size_t count, int threads_asked);
  bool is_alone;
  int things = 1, threads;
};

// Collective. take(k, work(k)) for each of the items, in order and with a bar.
template <class Work, class Take>
void take_in_order(const Session& session, std::string label, std::size_t count, const AtOnce& how, const Work& work,
                   const Take& take) {
  ProgressBar bar(session, std::move(label));
  const Progress told = bar.callback();
  const auto take_one = [&](std::uint64_t k, const auto& result) {
    take(static_cast<std::size_t>(k), result);
    if (told) told(k + 1, count);
  };
  const auto work_on = [&](std::uint64_t k) {
    const Interruptible on_this_thread(is_asked_to_end);
    return work(static_cast<std::size_t>(k));
  };
  if (how.is_alone) return base::in_order(count, how.things, work_on, take_one);
  for (std::uint64_t k = 0; k < count; ++k) {
    end_if_asked(session);
    take_one(k, work_on(k));
  }
}

// Returns the result of `work` with these options and a bar.
template <class Options, class Work>
auto with_bar(const Session& session, std::string label, Options options, const Work& work) {
  ProgressBar bar(session, std::move(label));
  options.progress = bar.callback();
  return work(options);
}

}  // namespace lq::cli
