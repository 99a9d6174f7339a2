// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Callbacks know groups only, so a group that keeps copies and the one whose data they are form one: first the keepers,
// then the others, as they lie in the file of the copy. Each group is in two such pairs, which follow each other in a
// circle; they meet in two or three steps. Whoever is in no pair in a step is in the group of his own file.
#include "compat/sion/callback_relay.hpp"

#include <numeric>
#include <vector>

#include "base/keep_failure.hpp"
#include "compat/sion/callback_exchange.hpp"

namespace lq::compat::sion {
namespace {

using multifile::BuddyNeighbours;
using multifile::Parcel;
using multifile::TaskLocation;

constexpr std::int64_t piece_bytes = 1 << 20;

// Groups that keep for each other, going round: how many, and which of them a file's group is.
struct Circle {
  int length = 1, position = 0;
};

Circle circle_of(const BuddyNeighbours& v) {
  const int common = std::gcd(v.distance, v.location.files);
  Circle circle{v.location.files / common, 0};
  const int back = v.location.files - v.distance % v.location.files;
  for (int file = v.location.file % common; file != v.location.file; file = (file + back) % v.location.files)
    ++circle.position;
  return circle;
}

int steps_of(int length) { return length == 1 ? 1 : 2 + length % 2; }

// When the group at a position of the circle has its copy made by the next one: neighbours at different times.
int step_of(int position, int length) { return length % 2 == 1 && position == length - 1 ? 2 : position % 2; }

class CallbackRelay final : public multifile::Relay {
 public:
  CallbackRelay(std::shared_ptr<const Api> api, const BuddyNeighbours& v,
                const std::function<std::shared_ptr<void>(const TaskLocation&)>& form)
      : api_(std::move(api)) {
    const Circle circle = circle_of(v);
    const int length = circle.length, position = circle.position;
    const TaskLocation& location = v.location;
    if (length == 1) {  // the neighbour is the group itself
      pairs_.push_back({form(location), location.task, 1, location.tasks - 1, true});
      return;
    }
    // Whoever fails in one step is waited for in the next.
    std::exception_ptr failure;
    for (int step = 0; step < steps_of(length); ++step) {
      base::keep_failure(failure, [&] {
        if (step_of(position, length) == step) {
          const int tasks = v.keeper_tasks + location.tasks, task = v.keeper_tasks + location.task;
          pairs_.push_back({form({location.file, location.files, task, tasks}), task, v.keeper_tasks, tasks - 1, true});
        } else if (step_of((position + length - 1) % length, length) == step) {
          const int tasks = location.tasks + v.client_tasks, file = (location.file + v.distance) % location.files;
          pairs_.push_back(
              {form({file, location.files, location.task, tasks}), location.task, location.tasks, tasks - 1, false});
        } else {
          form(location);
        }
      });
    }
    if (failure) std::rethrow_exception(failure);
  }

  void pass(const Parcel& mine, base::Bytes data, const multifile::CollectorExchange::Write& write,
            std::exception_ptr& failure) override {
    for (const Pair& pair : pairs_) {
      const GroupRange where{pair.group.get(), pair.task, 0, pair.first, pair.last, piece_bytes};
      base::keep_failure(failure, [&] {
        gather_and_write(*api_, where, pair.sends ? mine : Parcel(), pair.sends ? data : base::Bytes(), write);
      });
    }
  }

 private:
  struct Pair {
    std::shared_ptr<void> group;
    int task = 0;             // in it
    int first = 0, last = 0;  // of those whose data go to task 0
    bool sends = false;       // this task is one of them
  };

  std::shared_ptr<const Api> api_;
  std::vector<Pair> pairs_;
};

}  // namespace

std::unique_ptr<multifile::Relay> make_callback_relay(
    std::shared_ptr<const Api> api, const BuddyNeighbours& neighbours,
    const std::function<std::shared_ptr<void>(const TaskLocation&)>& form) {
  return std::make_unique<CallbackRelay>(std::move(api), neighbours, form);
}

}  // namespace lq::compat::sion
