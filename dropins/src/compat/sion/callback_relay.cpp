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
#include "compat/sion/callback_courier.hpp"

namespace lq::compat::sion {
namespace {

using multifile::Parcel;
using multifile::Seat;
using multifile::Vicinity;

constexpr std::int64_t piece_bytes = 1 << 20;

// Groups that keep for each other, going round: how many, and which of them a file's group is.
struct Circle {
  int length = 1, position = 0;
};

Circle circle_of(const Vicinity& v) {
  const int common = std::gcd(v.distance, v.seat.files);
  Circle circle{v.seat.files / common, 0};
  const int back = v.seat.files - v.distance % v.seat.files;
  for (int file = v.seat.file % common; file != v.seat.file; file = (file + back) % v.seat.files) ++circle.position;
  return circle;
}

int steps_of(int length) { return length == 1 ? 1 : 2 + length % 2; }

// When the group at a position of the circle has its copy made by the next one: neighbours at different times.
int step_of(int position, int length) { return length % 2 == 1 && position == length - 1 ? 2 : position % 2; }

class CallbackRelay final : public multifile::Relay {
 public:
  CallbackRelay(std::shared_ptr<const Api> api, const Vicinity& v,
                const std::function<std::shared_ptr<void>(const Seat&)>& form)
      : api_(std::move(api)) {
    const Circle circle = circle_of(v);
    const int length = circle.length, position = circle.position;
    const Seat& seat = v.seat;
    if (length == 1) {  // the neighbour is the group itself
      pairs_.push_back({form(seat), seat.task, 1, seat.tasks - 1, true});
      return;
    }
    // Whoever fails in one step is waited for in the next.
    std::exception_ptr failure;
    for (int step = 0; step < steps_of(length); ++step) {
      base::keep_failure(failure, [&] {
        if (step_of(position, length) == step) {
          const int tasks = v.keeper_tasks + seat.tasks, task = v.keeper_tasks + seat.task;
          pairs_.push_back({form({seat.file, seat.files, task, tasks}), task, v.keeper_tasks, tasks - 1, true});
        } else if (step_of((position + length - 1) % length, length) == step) {
          const int tasks = seat.tasks + v.ward_tasks, file = (seat.file + v.distance) % seat.files;
          pairs_.push_back({form({file, seat.files, seat.task, tasks}), seat.task, seat.tasks, tasks - 1, false});
        } else {
          form(seat);
        }
      });
    }
    if (failure) std::rethrow_exception(failure);
  }

  void pass(const Parcel& mine, base::Bytes data, const multifile::Courier::Write& write,
            std::exception_ptr& failure) override {
    for (const Pair& pair : pairs_) {
      const Gathering where{pair.group.get(), pair.task, 0, pair.first, pair.last, piece_bytes};
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

std::unique_ptr<multifile::Relay> make_callback_relay(std::shared_ptr<const Api> api, const Vicinity& vicinity,
                                                      const std::function<std::shared_ptr<void>(const Seat&)>& form) {
  return std::make_unique<CallbackRelay>(std::move(api), vicinity, form);
}

}  // namespace lq::compat::sion
