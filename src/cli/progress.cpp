// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/progress.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/team.hpp"

namespace lq::cli {
namespace {

constexpr std::chrono::milliseconds patience(500);
constexpr std::chrono::milliseconds interval(100);
constexpr std::uint64_t bar_width = 40;

volatile std::sig_atomic_t told_to_end = 0;  // the number of the signal

volatile std::sig_atomic_t told_at = 0;  // in milliseconds
int objects_that_remember = 0;
int (*tell_other_ranks)(int number) noexcept = nullptr;

int milliseconds_now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int>((now.tv_sec % 1'000'000) * 1000 + now.tv_nsec / 1'000'000);
}

void remember(int signal) {
  if (told_to_end == 0) {
    told_at = milliseconds_now();
    told_to_end = signal;
  } else if (std::abs(milliseconds_now() - told_at) >= 500) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

[[noreturn]] void throw_as_told() { throw Error(Code::io, "ended by a signal", {.system_errno = ECANCELED}); }

}  // namespace

bool is_asked_to_end() noexcept {
  // A signal that arrives meanwhile is passed on by the next call.
  if (tell_other_ranks == nullptr) return told_to_end != 0;
  const int number = tell_other_ranks(told_to_end);
  if (number != 0 && told_to_end == 0) {
    told_at = milliseconds_now();
    told_to_end = number;
  }
  return number != 0;
}

EndsBySignals::EndsBySignals(int (*tell)(int number) noexcept) : on_ending_(remember), interruptible_(is_asked_to_end) {
  if (objects_that_remember++ == 0) tell_other_ranks = tell;
}

EndsBySignals::~EndsBySignals() {
  on_ending_.reset();
  if (--objects_that_remember == 0 && told_to_end != 0) std::raise(told_to_end);
}

void EndsBySignals::agree(int (*finish)(int number)) { told_to_end = finish(told_to_end); }

void end_if_asked(const Session& session) {
  std::exception_ptr failure;
  if (is_asked_to_end()) base::keep_failure(failure, throw_as_told);
  session.communicator.agree(failure);
}

ProgressBar::ProgressBar(const Session& session, std::string label)
    : is_alone_(session.communicator.size() == 1),
      enabled_(session.is_root() && !session.quiet && ::isatty(STDERR_FILENO) == 1),
      label_(std::move(label)),
      next_(Clock::now() + patience) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(std::uint64_t done, std::uint64_t total) {
  if (is_alone_ && is_asked_to_end()) throw_as_told();
  if (!enabled_ || total == 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + interval;
  visible_ = true;
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(bar_width));
  const std::string bar = std::string(filled, '#') + std::string(bar_width - filled, '.');
  std::fprintf(stderr, "\r\033[K%s [%s] %3.0f %%", label_.c_str(), bar.c_str(), 100 * part);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (visible_) std::fputs("\r\033[K", stderr);
  visible_ = false;
}

Progress ProgressBar::callback() {
  if (!enabled_ && !is_alone_) return {};
  return [this](std::uint64_t done, std::uint64_t total) { show(done, total); };
}

AtOnce::AtOnce(const Session& session, std::size_t count, int threads_asked)
    : is_alone(session.communicator.size() == 1), threads(threads_asked) {
  if (!is_alone) return;
  const int all = comm::count_or_cores(threads_asked);
  things = static_cast<int>(std::clamp<std::size_t>(count, 1, static_cast<std::size_t>(all)));
  threads = std::max(1, all / things);
}

}  // namespace lq::cli
