// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where threads meet. The ranks of a group meet by handing in a pointer to what they contribute; the last to come
// does there what all of them want done and opens the door. Thousands of threads share few cores, so that nobody wakes
// who has nothing to do, and nobody does for himself what one can do for all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace lq::testing {

class Meeting;
class Turns;

// A message that was sent and not yet received.
struct Letter {
  std::span<const std::byte> bytes;
  std::uint64_t sent_at = 0;  // steps of the sender
  std::atomic<bool> received{false};
};

// All threads of one run.
class World {
 public:
  // With `turns`, who waits for others lets one of them run.
  explicit World(int threads, Turns* turns = nullptr);
  Turns* turns() const noexcept { return turns_; }

  // The group of these threads (numbers in the world, in the order of their ranks).
  std::shared_ptr<Meeting> make_meeting(std::vector<int> threads);
  // The thread takes part in nothing any more: groups that need it are broken.
  void leave(int thread);

  // Letters wait until they are fetched: whoever sends must not rely on a buffer somewhere.
  std::shared_ptr<Letter> post(const Meeting& group, int from, int to, int channel, std::span<const std::byte> bytes,
                               std::uint64_t sent_at);
  // Whether it was received; Error(communication) when the receiver has left.
  bool was_received(const Letter& letter, const Meeting& group, int to) const;
  // It arrives no more, unless it was received; the thread that is receiving it has done so.
  void take_back(const Letter& letter, const Meeting& group, int to);
  // A place in the queue of those who wait for letters of that group, sender and channel.
  std::uint64_t queue_up(const Meeting& group, int from, int to, int channel);
  // The oldest of those letters, if there is one and it is `place`'s turn.
  std::shared_ptr<Letter> fetch(const Meeting& group, int from, int to, int channel, std::uint64_t place);

 private:
  friend class Meeting;
  void detect_deadlock();

  // Letters of one group, sender and channel, and the places given away and served.
  struct Line {
    std::deque<std::shared_ptr<Letter>> letters;
    std::uint64_t last = 0, served = 0;
  };
  // What belongs to one thread.
  struct Member {
    std::mutex mutex;
    std::map<std::tuple<const Meeting*, int, int>, Line> lines;
    std::atomic<bool> has_left{false};
    std::vector<std::weak_ptr<Meeting>> meetings;  // guarded by the world
  };
  Member& member(const Meeting& group, int rank) const;

  Turns* turns_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<std::weak_ptr<Meeting>> meetings_;
  int alive_ = 0;    // threads that have not left
  int waiting_ = 0;  // threads that wait for others to come
};

class Meeting {
 public:
  Meeting(World& world, std::vector<int> threads);

  int size() const noexcept { return static_cast<int>(threads_.size()); }
  int thread_of(int rank) const { return threads_[static_cast<std::size_t>(rank)]; }

  // Waits until all ranks have come with the same operation; Error(communication) when they never will. The last to
  // come calls its `complete`, while what all handed in stays as it is. The most steps that any of them had taken.
  std::uint64_t meet(int rank, const std::string& operation, const void* contribution, std::uint64_t steps,
                     const std::function<void()>& complete);
  // Throws what `complete` threw.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  // What a rank handed in; for `complete`.
  const void* contribution(int rank) const { return contributions_[static_cast<std::size_t>(rank)]; }

 private:
  friend class World;
  void break_up(const std::string& reason);
  bool arrive(int rank, const std::string& operation);

  World& world_;
  std::vector<int> threads_;
  std::vector<const void*> contributions_;
  std::uint64_t steps_ = 0, most_steps_ = 0;  // of those who have come, of those who met
  std::exception_ptr failure_;
  std::string operation_;  // of those who have come
  int first_ = 0;          // who came first
  int arrived_ = 0;
  std::string broken_;        // why no meeting can take place any more
  std::atomic<int> door_{0};  // twice the number of meetings that took place, odd when broken
};

}  // namespace lq::testing
