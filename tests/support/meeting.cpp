// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Meetings of threads, and the reasons why one cannot take place.
#include "support/meeting.hpp"

#include <algorithm>

#include <limequat/error.hpp>

namespace lq::testing {

std::shared_ptr<Meeting> World::make_meeting(std::vector<int> threads) {
  const std::lock_guard lock(mutex_);
  auto meeting = std::make_shared<Meeting>(*this, std::move(threads));
  meetings_.push_back(meeting);
  return meeting;
}

std::shared_ptr<Letter> World::post(Letter letter) {
  const std::lock_guard lock(mutex_);
  return letters_.emplace_back(std::make_shared<Letter>(letter));
}

bool World::was_received(const Letter& letter, const Meeting& group) {
  const std::lock_guard lock(mutex_);
  if (!letter.received && std::ranges::count(left_, group.thread_of(letter.to)) > 0) {
    throw Error(Code::communication, "send: rank " + std::to_string(letter.to) + " has left");
  }
  return letter.received;
}

std::uint64_t World::queue_up(const Meeting& group, int from, int to, int channel) {
  const std::lock_guard lock(mutex_);
  return queue(group, from, to, channel).last++;
}

std::shared_ptr<Letter> World::fetch(const Meeting& group, int from, int to, int channel, std::uint64_t place) {
  const std::lock_guard lock(mutex_);
  if (queue(group, from, to, channel).served != place) return nullptr;
  const auto found = std::ranges::find_if(letters_, [&](const auto& letter) {
    return letter->group == &group && letter->from == from && letter->to == to && letter->channel == channel;
  });
  if (found == letters_.end()) {
    if (std::ranges::count(left_, group.thread_of(from)) == 0) return nullptr;
    throw Error(Code::communication, "receive: rank " + std::to_string(from) + " has left");
  }
  std::shared_ptr<Letter> letter = *found;
  letters_.erase(found);
  ++queue(group, from, to, channel).served;
  return letter;
}

void World::acknowledge(Letter& letter) {
  const std::lock_guard lock(mutex_);
  letter.received = true;
}

void World::leave(int thread) {
  const std::lock_guard lock(mutex_);
  --alive_;
  left_.push_back(thread);
  for (const std::weak_ptr<Meeting>& known : meetings_) {
    const std::shared_ptr<Meeting> meeting = known.lock();
    if (!meeting) continue;
    const auto member = std::find(meeting->threads_.begin(), meeting->threads_.end(), thread);
    if (member == meeting->threads_.end()) continue;
    meeting->break_up("rank " + std::to_string(member - meeting->threads_.begin()) + " has left");
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

void Meeting::meet(int rank, const std::string& operation, const void* contribution) {
  std::unique_lock lock(world_.mutex_);
  if (contribution != nullptr) contributions_[static_cast<std::size_t>(rank)] = contribution;
  const unsigned long round = round_;
  if (broken_.empty()) arrive(rank, operation);
  world_.changed_.wait(lock, [&] { return round_ != round || !broken_.empty(); });
  if (round_ == round) throw Error(Code::communication, operation + ": " + broken_);
}

// The last to come opens the door for all.
void Meeting::arrive(int rank, const std::string& operation) {
  if (arrived_ == 0) {
    first_ = rank;
    operation_ = operation;
  }
  if (operation != operation_) {
    return break_up("rank " + std::to_string(rank) + " calls " + operation + ", rank " + std::to_string(first_) +
                    " calls " + operation_);
  }
  ++arrived_;
  ++world_.waiting_;
  if (arrived_ == size()) {
    world_.waiting_ -= arrived_;
    arrived_ = 0;
    ++round_;
    world_.changed_.notify_all();
  } else {
    world_.detect_deadlock();
  }
}

void Meeting::break_up(const std::string& reason) {
  if (!broken_.empty()) return;
  broken_ = reason;
  world_.waiting_ -= arrived_;
  arrived_ = 0;
  world_.changed_.notify_all();
}

}  // namespace lq::testing
