// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/stall.hpp"

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/stall.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/quiet_thread.hpp"

namespace lq {
namespace transport {

// One for the process: a list of calls under way, and a thread that looks through it now and then.
class StallWatch {
 public:
  static StallWatch& instance() {
    static StallWatch one;
    return one;
  }
  ~StallWatch() { end(); }
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }

  void begin(double seconds, std::function<void(const Stall&)> tell) {
    const std::lock_guard one_at_a_time(change_);
    end();
    if (!tell) return;
    limit_ = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    tell_ = std::move(tell);
    is_ending_ = false;
    try {
      thread_ = base::start_quiet_thread([this] { watch(); });
    } catch (const std::system_error& error) {
      throw Error(Code::out_of_memory,
                  fmt::format("no thread can be made that watches for stalls ({}); allow this process more of them, or "
                              "more memory",
                              error.what()));
    }
    is_on_ = true;
  }

  void add(WatchedCall& call) {
    const std::lock_guard lock(mutex_);
    call.begun_ = std::chrono::steady_clock::now();
    call.tell_at_ = call.begun_ + limit_;
    call.next_ = std::exchange(first_, &call);
    if (call.next_ != nullptr) call.next_->before_ = &call;
    call.is_listed_ = true;
  }

  void remove(WatchedCall& call) noexcept {
    const std::lock_guard lock(mutex_);
    (call.before_ == nullptr ? first_ : call.before_->next_) = call.next_;
    if (call.next_ != nullptr) call.next_->before_ = call.before_;
  }

 private:
  using Duration = std::chrono::steady_clock::duration;
  StallWatch() = default;

  void end() {
    is_on_ = false;
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    ends_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void watch() {
    const Duration pause = std::clamp<Duration>(limit_ / 8, std::chrono::milliseconds(1), std::chrono::seconds(1));
    std::unique_lock lock(mutex_);
    while (!ends_.wait_for(lock, pause, [this] { return is_ending_; })) {
      const std::vector<Stall> stalls = look();
      lock.unlock();
      for (const Stall& stall : stalls) tell_(stall);
      lock.lock();
    }
  }

  std::vector<Stall> look() {
    std::vector<Stall> stalls;
    const auto now = std::chrono::steady_clock::now();
    for (WatchedCall* call = first_; call != nullptr; call = call->next_) {
      if (now < call->tell_at_) continue;
      const Duration taken = now - call->begun_;
      call->tell_at_ = call->begun_ + 2 * taken;
      stalls.push_back(
          {call->name_, call->path_, call->offset_, call->bytes_, std::chrono::duration<double>(taken).count()});
    }
    return stalls;
  }

  std::atomic<bool> is_on_{false};
  std::mutex change_;  // of the thread
  std::mutex mutex_;   // of what follows
  std::condition_variable ends_;
  bool is_ending_ = false;
  WatchedCall* first_ = nullptr;
  Duration limit_{};
  std::function<void(const Stall&)> tell_;
  std::thread thread_;
};

WatchedCall::WatchedCall(const char* name, const std::string& path, std::uint64_t offset, std::uint64_t bytes) noexcept
    : name_(name), path_(path), offset_(offset), bytes_(bytes) {
  if (StallWatch& watch = StallWatch::instance(); watch.is_on()) watch.add(*this);
}

WatchedCall::~WatchedCall() {
  if (is_listed_) StallWatch::instance().remove(*this);
}

}  // namespace transport

std::string to_string(const Stall& stall) {
  const std::string place =
      stall.bytes == 0 ? std::string() : fmt::format("{} bytes at byte {} of ", stall.bytes, stall.offset);
  return fmt::format("waits for {:.0f} s in {} of {}{}", stall.seconds, stall.call, place, stall.path);
}

void watch_stalls(double seconds, std::function<void(const Stall&)> tell) {
  if (tell && !(seconds > 0 && std::isfinite(seconds) && seconds < 1e9)) {
    throw Error(Code::invalid_argument,
                fmt::format("watch_stalls: {} seconds; a positive number is expected", seconds));
  }
  transport::StallWatch::instance().begin(seconds, std::move(tell));
}

}  // namespace lq
