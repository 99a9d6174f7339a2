// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of which one runs at a time. Wherever it sends, meets others, or uses the storage, it may hand over to one
// that is drawn: what they do to each other follows from the seed alone. Threads that are none of these run as they
// like.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace lq::testing {

class Turns {
 public:
  // `is_over`: whether the machine that the threads run on has stopped.
  Turns(
      int threads, std::uint64_t seed, std::function<bool()> is_over = [] { return false; });

  // In the thread: its first call, which waits for its turn, and its last one.
  void begin(int thread);
  void end();

  // A place where another one may go on. Any thread.
  enum class Because { of_a_step, it_waits };
  void hand_over(Because because = Because::of_a_step);
  // The same of a thread that waits for memory to change, whatever it takes turns with. False: with nobody.
  static bool yield() noexcept;
  // Whether this thread takes turns with others.
  static bool has_this_thread() noexcept;
  // The same in the network: Error(communication) where the machine has stopped.
  void step(Because because = Because::of_a_step);
  // Until the value of the door is another one, which the others see to.
  void sleep_while(std::atomic<int>& door, int value);

  // How many times a thread might have handed over. Error(internal) in step() and hand_over() where it has no end.
  std::uint64_t steps() const noexcept { return steps_; }
  bool is_endless() const noexcept { return steps_ > most_steps; }

 private:
  static constexpr std::uint64_t most_steps = 1'000'000;

  struct Thread {
    std::atomic<int> door{0};  // 1: it may go on
    bool is_alive = true;
    std::atomic<int>* waits_at = nullptr;
    int value = 0;
    bool can_run() const { return is_alive && (waits_at == nullptr || waits_at->load() != value); }
  };
  bool is_mine() const noexcept;
  int draw(bool may_be_this_one);
  void pass(Because because);
  void give_to(int thread);

  std::vector<std::unique_ptr<Thread>> threads_;
  std::mt19937_64 random_;
  std::function<bool()> is_over_;
  std::uint64_t keeps_;  // in 256 steps the one that runs goes on without a draw
  int slow_ = -1;        // runs rarely
  int running_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace lq::testing
