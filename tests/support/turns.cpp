// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/turns.hpp"

#include <utility>

#include <limequat/error.hpp>

#include "support/door.hpp"
#include "support/held_memory.hpp"

namespace lq::testing {
namespace {

thread_local Turns* turns_of_thread = nullptr;

}  // namespace

Turns::Turns(int threads, std::uint64_t seed, std::function<bool()> is_over)
    : random_(seed), is_over_(std::move(is_over)) {
  for (int i = 0; i < threads; ++i) threads_.push_back(std::make_unique<Thread>());
  keeps_ = random_() % 256;
  if (random_() % 4 == 0) slow_ = static_cast<int>(random_() % static_cast<std::uint64_t>(threads));
  running_ = draw(true);
  threads_[static_cast<std::size_t>(running_)]->door = 1;
}

bool Turns::is_mine() const noexcept { return turns_of_thread == this; }

void Turns::begin(int thread) {
  turns_of_thread = this;
  Thread& mine = *threads_[static_cast<std::size_t>(thread)];
  testing::sleep_while(mine.door, 0);
  mine.door = 0;
}

void Turns::end() {
  turns_of_thread = nullptr;
  threads_[static_cast<std::size_t>(running_)]->is_alive = false;
  const int next = draw(true);
  if (next >= 0) give_to(next);
}

// -1: there is none.
int Turns::draw(bool may_be_this_one) {
  int candidates = 0;
  const auto is_candidate = [&](std::size_t i) {
    return threads_[i]->can_run() && (may_be_this_one || static_cast<int>(i) != running_);
  };
  for (std::size_t i = 0; i < threads_.size(); ++i) candidates += is_candidate(i) ? 1 : 0;
  if (candidates == 0) return -1;
  for (;;) {
    std::uint64_t place = random_() % static_cast<std::uint64_t>(candidates);
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (!is_candidate(i) || place-- > 0) continue;
      if (static_cast<int>(i) == slow_ && candidates > 1 && random_() % 16 != 0) break;
      return static_cast<int>(i);
    }
  }
}

void Turns::give_to(int thread) {
  running_ = thread;
  Thread& next = *threads_[static_cast<std::size_t>(thread)];
  next.waits_at = nullptr;
  next.door = 1;
  wake_all(next.door);
}

void Turns::hand_over(Because because) {
  if (!is_mine()) return;
  if (is_endless()) throw Error(Code::internal, "ranks do not come to an end");
  pass(because);
}

bool Turns::has_this_thread() noexcept { return turns_of_thread != nullptr; }

bool Turns::yield() noexcept {
  if (turns_of_thread == nullptr) return false;
  turns_of_thread->pass(Because::it_waits);
  return true;
}

void Turns::pass(Because because) {
  ++steps_;
  const bool waits = because == Because::it_waits;
  if (!waits && random_() % 256 < keeps_) return;
  const int mine = running_;
  const int next = draw(!waits);
  if (next < 0 || next == mine) return;
  give_to(next);
  std::atomic<int>& door = threads_[static_cast<std::size_t>(mine)]->door;
  testing::sleep_while(door, 0);
  door = 0;
}

void Turns::step(Because because) {
  const auto look = [&] {
    if (is_over_()) throw Error(Code::communication, "the machine has stopped (injected fault)");
  };
  look();
  hand_over(because);
  look();
}

void Turns::sleep_while(std::atomic<int>& door, int value) {
  const int number = running_;
  Thread& mine = *threads_[static_cast<std::size_t>(number)];
  if (door.load() != value) return;
  mine.waits_at = &door;
  mine.value = value;
  // There is one that can run: where all wait for each other, the last one to come has opened the doors.
  const int next = draw(true);
  if (next < 0) throw Error(Code::internal, "all ranks wait for each other");
  give_to(next);
  testing::sleep_while(mine.door, 0);
  mine.door = 0;
}

}  // namespace lq::testing
