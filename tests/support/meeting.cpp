// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Meetings of threads, and the reasons why one cannot take place.
#include "support/meeting.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <limequat/error.hpp>

#include "support/door.hpp"
#include "support/turns.hpp"

namespace lq::testing {

World::World(int threads, Turns* turns) : turns_(turns), alive_(threads) {
  for (int thread = 0; thread < threads; ++thread) members_.push_back(std::make_unique<Member>());
}

World::Member& World::member(const Meeting& group, int rank) const {
  return *members_[static_cast<std::size_t>(group.thread_of(rank))];
}

std::shared_ptr<Meeting> World::make_meeting(std::vector<int> threads) {
  const std::lock_guard lock(mutex_);
  auto meeting = std::make_shared<Meeting>(*this, std::move(threads));
  meetings_.push_back(meeting);
  for (const int thread : meeting->threads_) members_[static_cast<std::size_t>(thread)]->meetings.push_back(meeting);
  return meeting;
}

std::shared_ptr<Letter> World::post(const Meeting& group, int from, int to, int channel,
                                    std::span<const std::byte> bytes, std::uint64_t sent_at) {
  Member& receiver = member(group, to);
  const std::lock_guard lock(receiver.mutex);
  auto letter = std::make_shared<Letter>();
  letter->bytes = bytes;
  letter->sent_at = sent_at;
  receiver.lines[{&group, from, channel}].letters.push_back(letter);
  return letter;
}

bool World::was_received(const Letter& letter, const Meeting& group, int to) const {
  const bool has_left = member(group, to).has_left.load();
  if (letter.received.load()) return true;
  if (has_left) throw Error(Code::communication, "send: rank " + std::to_string(to) + " has left");
  return false;
}

void World::take_back(const Letter& letter, const Meeting& group, int to) {
  if (letter.received.load()) return;
  Member& receiver = member(group, to);
  std::unique_lock lock(receiver.mutex);
  for (auto& [key, line] : receiver.lines) {
    const auto place = std::ranges::find_if(
        line.letters, [&](const std::shared_ptr<Letter>& other) { return other.get() == &letter; });
    if (place == line.letters.end()) continue;
    line.letters.erase(place);
    return;
  }
  lock.unlock();
  while (!letter.received.load()) std::this_thread::yield();
}

std::uint64_t World::queue_up(const Meeting& group, int from, int to, int channel) {
  Member& receiver = member(group, to);
  const std::lock_guard lock(receiver.mutex);
  return receiver.lines[{&group, from, channel}].last++;
}

std::shared_ptr<Letter> World::fetch(const Meeting& group, int from, int to, int channel, std::uint64_t place) {
  const bool sender_has_left = member(group, from).has_left.load();
  Member& receiver = member(group, to);
  const std::lock_guard lock(receiver.mutex);
  Line& line = receiver.lines[{&group, from, channel}];
  if (line.letters.empty()) {
    if (!sender_has_left) return nullptr;
    // Also for who waits behind a receipt that was given up.
    throw Error(Code::communication, "receive: rank " + std::to_string(from) + " has left");
  }
  if (line.served != place) return nullptr;
  std::shared_ptr<Letter> letter = line.letters.front();
  line.letters.pop_front();
  ++line.served;
  return letter;
}

void World::leave(int thread) {
  const std::lock_guard lock(mutex_);
  --alive_;
  Member& leaver = *members_[static_cast<std::size_t>(thread)];
  leaver.has_left = true;
  for (const std::weak_ptr<Meeting>& known : leaver.meetings) {
    const std::shared_ptr<Meeting> meeting = known.lock();
    if (!meeting) continue;
    const auto place = std::ranges::find(meeting->threads_, thread);
    meeting->break_up("rank " + std::to_string(place - meeting->threads_.begin()) + " has left");
  }
  detect_deadlock();
}

void World::detect_deadlock() {
  if (alive_ == 0 || waiting_ < alive_) return;
  for (const std::weak_ptr<Meeting>& known : meetings_) {
    if (const std::shared_ptr<Meeting> meeting = known.lock()) meeting->break_up("all ranks wait for each other");
  }
}

Meeting::Meeting(World& world, std::vector<int> threads)
    : world_(world), threads_(std::move(threads)), contributions_(threads_.size()) {}

std::uint64_t Meeting::meet(int rank, const std::string& operation, const void* contribution, std::uint64_t steps,
                            const std::function<void()>& complete) {
  std::unique_lock lock(world_.mutex_);
  contributions_[static_cast<std::size_t>(rank)] = contribution;
  steps_ = std::max(steps_, steps);
  const int closed = door_.load() & ~1;
  if (broken_.empty() && arrive(rank, operation)) {
    lock.unlock();  // all are here, so that nothing changes
    most_steps_ = std::exchange(steps_, 0);
    failure_ = nullptr;
    try {
      complete();
    } catch (...) {
      failure_ = std::current_exception();
    }
    door_.store(closed + 2);
    wake_all(door_);
  } else {
    lock.unlock();
    if (world_.turns() != nullptr) {
      world_.turns()->sleep_while(door_, closed);
    } else {
      sleep_while(door_, closed);
    }
  }
  if (door_.load() <= closed + 1) {
    lock.lock();
    throw Error(Code::communication, operation + ": " + broken_);
  }
  return most_steps_;
}

// Whether this was the last to come.
bool Meeting::arrive(int rank, const std::string& operation) {
  if (arrived_ == 0) {
    first_ = rank;
    operation_ = operation;
  }
  if (operation != operation_) {
    break_up("rank " + std::to_string(rank) + " calls " + operation + ", rank " + std::to_string(first_) + " calls " +
             operation_);
    return false;
  }
  ++arrived_;
  ++world_.waiting_;
  if (arrived_ == size()) {
    world_.waiting_ -= arrived_;
    arrived_ = 0;
    return true;
  }
  world_.detect_deadlock();
  return false;
}

void Meeting::break_up(const std::string& reason) {
  if (!broken_.empty()) return;
  broken_ = reason;
  world_.waiting_ -= arrived_;
  arrived_ = 0;
  door_.fetch_or(1);
  wake_all(door_);
}

}  // namespace lq::testing
