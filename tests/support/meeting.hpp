// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where threads meet. All state is guarded by the one mutex of the world; the ranks of a group meet by handing
// in a pointer to what they contribute, reading what the others handed in, and meeting once more before
// anything that was handed in may change.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lq::testing {

class Meeting;

// All threads of one run.
class World {
 public:
  explicit World(int threads) : alive_(threads) {}

  // The group of these threads (numbers in the world, in the order of their ranks).
  std::shared_ptr<Meeting> make_meeting(std::vector<int> threads);
  // The thread takes part in nothing any more: groups that need it are broken.
  void leave(int thread);

 private:
  friend class Meeting;
  void detect_deadlock();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::weak_ptr<Meeting>> meetings_;
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
