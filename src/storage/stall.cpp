// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/posix_file.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <limequat/stall.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"

namespace lq {
namespace storage {
namespace {

constexpr double longest_seconds = 1e9;

}  // namespace

// One per process: a list of calls in progress, and a thread that checks it periodically.
class StallWatch {
 public:
  static StallWatch& instance() {
    static StallWatch one;
    return one;
  }
  ~StallWatch() {
    end();
    state_->~State();
  }
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }

  void begin(double seconds, std::function<void(const Stall&)> report) {
    const std::lock_guard one_at_a_time(state_->change);
    state_->is_chosen = true;
    is_decided_ = true;
    start(seconds, std::move(report));
  }

  void set_default(double seconds, std::string who) {
    const std::lock_guard one_at_a_time(state_->change);
    if (state_->is_chosen) return;
    state_->default_seconds = seconds;
    state_->who = std::move(who);
    is_decided_ = false;
  }

  // Runs at each call of the file system; the first one starts the default watch unless the program has chosen
  // otherwise.
  void begin_by_default() noexcept {
    if (is_decided_.load(std::memory_order_acquire)) return;
    try {
      const std::lock_guard one_at_a_time(state_->change);
      if (is_decided_) return;
      const double seconds = wanted_seconds(state_->default_seconds);
      is_decided_.store(true, std::memory_order_release);
      if (seconds > 0) start(seconds, [who = state_->who](const Stall& stall) { print(who, stall); });
    } catch (...) {
      // No thread could be created; the operation itself does not need one.
    }
  }

  void add(WatchedCall& call) {
    const std::lock_guard lock(state_->mutex);
    call.begun_ = std::chrono::steady_clock::now();
    call.tell_at_ = call.begun_ + state_->limit;
    call.next_ = std::exchange(state_->first, &call);
    if (call.next_ != nullptr) call.next_->before_ = &call;
    call.is_listed_ = true;
  }

  void remove(WatchedCall& call) noexcept {
    const std::lock_guard lock(state_->mutex);
    (call.before_ == nullptr ? state_->first : call.before_->next_) = call.next_;
    if (call.next_ != nullptr) call.next_->before_ = call.before_;
  }

 private:
  using Duration = std::chrono::steady_clock::duration;

  struct State {
    std::mutex change;       // guards the thread and the next three members
    bool is_chosen = false;  // by the program
    double default_seconds = 0;
    std::string who = "limequat:";
    std::mutex mutex;  // guards the following members
    std::condition_variable ends;
    bool is_ending = false;
    WatchedCall* first = nullptr;
    Duration limit{};
    std::function<void(const Stall&)> report;
    std::thread thread;
  };

  StallWatch() : state_(::new (static_cast<void*>(room_)) State) {
    ::pthread_atfork(nullptr, nullptr, [] { instance().forget_parent(); });
  }

  // A forked child does not have the thread: it can be neither joined nor detached there, and its locks may stay locked
  // indefinitely. They are replaced by new ones. The child is not watched until it requests it.
  void forget_parent() noexcept {
    is_on_ = false;
    is_decided_ = true;
    state_ = ::new (static_cast<void*>(room_)) State;
  }

  static double wanted_seconds(double by_default) {
    const char* const text = std::getenv("LQ_WATCH_STALLS");
    if (text == nullptr || *text == 0) return by_default;
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    if (end != text && *end == 0 && seconds >= 0 && seconds < longest_seconds) return seconds;
    std::fprintf(stderr, "limequat: LQ_WATCH_STALLS is \"%s\", expected seconds, or 0 to switch the watch off\n",
                 base::printable(text).c_str());
    return by_default;
  }

  static void print(const std::string& who, const Stall& stall) {
    std::fprintf(stderr, "%s %s; the file system does not answer\n", who.c_str(),
                 base::printable(to_string(stall), std::string_view::npos).c_str());
  }

  void start(double seconds, std::function<void(const Stall&)> report) {
    end();
    if (!report) return;
    state_->limit = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    state_->report = std::move(report);
    state_->is_ending = false;
    try {
      state_->thread = base::start_thread_signals_blocked([this] { watch(*state_); });
    } catch (const std::system_error& error) {
      base::fail(
          Code::out_of_memory, {},
          "cannot create the thread that watches for stalls ({}); allow this process more threads or more memory",
          error.what());
    }
    is_on_ = true;
  }

  void end() {
    is_on_ = false;
    {
      const std::lock_guard lock(state_->mutex);
      state_->is_ending = true;
    }
    state_->ends.notify_all();
    if (state_->thread.joinable()) state_->thread.join();
  }

  static void watch(State& state) {
    const Duration pause = std::clamp<Duration>(state.limit / 8, std::chrono::milliseconds(1), std::chrono::seconds(1));
    std::unique_lock lock(state.mutex);
    while (!state.ends.wait_for(lock, pause, [&] { return state.is_ending; })) {
      const std::vector<Stall> stalls = look(state);
      lock.unlock();
      for (const Stall& stall : stalls) state.report(stall);
      lock.lock();
    }
  }

  static std::vector<Stall> look(State& state) {
    std::vector<Stall> stalls;
    const auto now = std::chrono::steady_clock::now();
    for (WatchedCall* call = state.first; call != nullptr; call = call->next_) {
      if (now < call->tell_at_) continue;
      const Duration taken = now - call->begun_;
      call->tell_at_ = call->begun_ + 2 * taken;
      stalls.push_back(
          {call->name_, call->path_, call->offset_, call->bytes_, std::chrono::duration<double>(taken).count()});
    }
    return stalls;
  }

  std::atomic<bool> is_on_{false};
  std::atomic<bool> is_decided_{false};
  alignas(State) std::byte room_[sizeof(State)];
  State* state_;
};

WatchedCall::WatchedCall(const char* name, const std::string& path, std::uint64_t offset, std::uint64_t bytes) noexcept
    : name_(name), path_(path), offset_(offset), bytes_(bytes) {
  StallWatch& watch = StallWatch::instance();
  watch.begin_by_default();
  if (watch.is_on()) watch.add(*this);
}

WatchedCall::~WatchedCall() {
  if (is_listed_) StallWatch::instance().remove(*this);
}

}  // namespace storage

std::string to_string(const Stall& stall) {
  const std::string place =
      stall.bytes == 0 ? std::string() : fmt::format("{} bytes at byte {} of ", stall.bytes, stall.offset);
  return fmt::format("has waited for {:.0f} s in {} of {}{}", stall.seconds, stall.call, place, stall.path);
}

void watch_stalls(double seconds, std::function<void(const Stall&)> report) {
  if (report && !(seconds > 0 && seconds < storage::longest_seconds)) {
    base::fail(Code::invalid_argument, {}, "watch_stalls: {} seconds; a positive number is expected", seconds);
  }
  storage::StallWatch::instance().begin(seconds, std::move(report));
}

void watch_stalls_by_default(double seconds, std::string who) {
  storage::StallWatch::instance().set_default(seconds, std::move(who));
}

}  // namespace lq
