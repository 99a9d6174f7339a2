// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where threads meet. All state is guarded by the one mutex of the world; the ranks of a group meet by handing
// in a pointer to what they contribute, reading what the others handed in, and meeting once more before
// anything that was handed in may change.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace lq::testing {

class Meeting;

// A message that was sent and not yet received.
struct Letter {
  const void* group = nullptr;
  int from = 0, to = 0, channel = 0;
  std::span<const std::byte> bytes;
  bool received = false;
};

// All threads of one run.
class World {
 public:
  explicit World(int threads) : alive_(threads) {}

  // The group of these threads (numbers in the world, in the order of their ranks).
  std::shared_ptr<Meeting> make_meeting(std::vector<int> threads);
  // The thread takes part in nothing any more: groups that need it are broken.
  void leave(int thread);

  // Letters wait until they are fetched: whoever sends must not rely on a buffer somewhere.
  std::shared_ptr<Letter> post(Letter letter);
  // Whether it was received; Error(communication) when the receiver has left.
  bool was_received(const Letter& letter, const Meeting& group);
  // A place in the queue of those who wait for letters of that group, sender and channel.
  std::uint64_t queue_up(const Meeting& group, int from, int to, int channel);
  // The oldest of those letters, if there is one and it is `place`'s turn.
  std::shared_ptr<Letter> fetch(const Meeting& group, int from, int to, int channel, std::uint64_t place);
  void acknowledge(Letter& letter);

 private:
  friend class Meeting;
  void detect_deadlock();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::weak_ptr<Meeting>> meetings_;
  // Places given away and served.
  struct Queue {
    std::uint64_t last = 0, served = 0;
  };
  Queue& queue(const Meeting& group, int from, int to, int channel) { return queues_[{&group, from, to, channel}]; }

  std::list<std::shared_ptr<Letter>> letters_;
  std::map<std::tuple<const void*, int, int, int>, Queue> queues_;
  std::vector<int> left_;
  int alive_ = 0;    // threads that have not left
  int waiting_ = 0;  // threads that wait for others to come
};

class Meeting {
 public:
  Meeting(World& world, std::vector<int> threads);

  int size() const noexcept { return static_cast<int>(threads_.size()); }
  int thread_of(int rank) const { return threads_[static_cast<std::size_t>(rank)]; }

  // Waits until all ranks have come with the same operation; Error(communication) when they never will.
  // What was handed in earlier stays when nothing is handed in now: others may still read it.
  void meet(int rank, const std::string& operation, const void* contribution = nullptr);
  // What a rank handed in; to be read between two meetings.
  const void* contribution(int rank) const { return contributions_[static_cast<std::size_t>(rank)]; }

 private:
  friend class World;
  void break_up(const std::string& reason);
  void arrive(int rank, const std::string& operation);

  World& world_;
  std::vector<int> threads_;
  std::vector<const void*> contributions_;
  std::string operation_;  // of those who have come
  int first_ = 0;          // who came first
  int arrived_ = 0;
  unsigned long round_ = 0;
  std::string broken_;  // why no meeting can take place any more
};

}  // namespace lq::testing
