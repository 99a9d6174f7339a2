// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A checkpoint with streams and fields: how it is written and read, and what ranks do for it. The model is a formula:
// every byte follows from set, task and place, every number from set, field and site.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <limequat/multifile.hpp>

#include "torture/field_case.hpp"
#include "torture/ranks.hpp"

namespace lq::torture {

inline constexpr std::uint64_t most_tasks = 16;

// What writers have told, in memory that outlives them when they are killed.
struct Diary {
  std::atomic<std::uint64_t> kept[most_tasks];     // bytes of each task that can be recovered
  std::atomic<std::uint64_t> synced[most_tasks];   // ... also when the power fails
  std::atomic<std::uint64_t> written[most_tasks];  // of each task, when the set was closed
  std::atomic<std::uint64_t> fields;               // whose writing has returned
};
class SharedDiary {
 public:
  SharedDiary()
      : diary_(static_cast<Diary*>(
            ::mmap(nullptr, sizeof(Diary), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~SharedDiary() { ::munmap(diary_, sizeof(Diary)); }
  SharedDiary(const SharedDiary&) = delete;
  SharedDiary& operator=(const SharedDiary&) = delete;
  Diary& operator*() const noexcept { return *diary_; }
  Diary* operator->() const noexcept { return diary_; }
  void start_anew() noexcept {
    for (auto& kept : diary_->kept) kept = 0;
    for (auto& synced : diary_->synced) synced = 0;
    for (auto& written : diary_->written) written = 0;
    diary_->fields = 0;
  }

 private:
  Diary* diary_;
};

// A set as it must be.
struct SetModel {
  int number = 0;                      // streams and fields of another set are others
  std::vector<std::uint64_t> streams;  // bytes of each task
  std::vector<std::string> fields;
};

// One writer of a set, which makes it or goes on with it.
struct SetRound {
  Crew crew;
  MultifileOptions options;
  bool appends = false;
  bool discards = false;
  int number = 0;          // of the set
  std::uint64_t seed = 0;  // of sizes
  FieldSide side;          // that all fields are written from
  std::vector<std::string> fields;
};
// Of field names: each round has its own.
SetRound draw_round(Draw& draw, int number, const std::string& prefix);
std::string words(const SetRound& round);

RankWork writing(const SetRound& round, const std::string& path, Diary& diary);

// How a set is read.
struct SetReading {
  std::string path;
  int number = 0;
  FieldSide side;
  bool is_lossy = false;  // a repair has told of losses: streams alone, without sums
};
// The whole set, all of it right, is told to `found` by rank 0. Failure: a byte or number that is not the set's.
RankWork reading(const SetReading& how, SetModel& found);

}  // namespace lq::torture
