// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that runs out on one of several ranks, at one allocation after the other. For programs that link
// held_memory.cpp.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/grid.hpp>

#include "support/contents.hpp"
#include "support/error_of.hpp"
#include "support/held_memory.hpp"
#include "support/thread_comm.hpp"

namespace lq::testing {

inline std::size_t count_files_in(const std::string& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
}

class MemoryFaults {
 public:
  // One allocation of each `stride` fails; of work that takes long.
  MemoryFaults(int ranks, int bad_rank, bool for_good, int stride = 1)
      : ranks_(ranks), bad_rank_(bad_rank), stride_(stride), for_good_(for_good) {}
  ~MemoryFaults() { ::alarm(0); }
  MemoryFaults(const MemoryFaults&) = delete;
  MemoryFaults& operator=(const MemoryFaults&) = delete;

  // Lets all ranks do what prepare(all) returns, where the next allocation fails on the bad one; false when so many
  // were not asked for. Expects that all ranks throw the same error, or none. Whoever waits for ever is ended by a
  // signal.
  template <class Prepare>
  bool next(const Prepare& prepare) {
    HeldMemory memory;
    memory.fail_at = k_;
    memory.for_good = for_good_;
    ::alarm(deadline_seconds);
    errors_ = outcomes_of_ranks(ranks_,
                                [&](std::shared_ptr<comm::Comm> comm) {
                                  const bool is_bad = comm->rank() == bad_rank_;
                                  const Communicator all(std::move(comm));
                                  auto work = prepare(all);
                                  const OwnedBy owner(is_bad ? &memory : nullptr);
                                  work();
                                },
                                {.ranks_per_node = 2});
    ::alarm(0);
    expect_same_error();
    if (!memory.has_failed()) {
      EXPECT_TRUE(succeeded()) << error_in(errors_.front()).what();
      return false;
    }
    k_ += stride_;
    failures_ += succeeded() ? 0 : 1;
    return true;
  }
  bool succeeded() const { return errors_.front() == nullptr; }
  std::int64_t failures() const noexcept { return failures_; }
  std::int64_t allocations() const noexcept { return k_; }

 private:
  static constexpr unsigned deadline_seconds = 120;

  static Error error_in(const std::exception_ptr& failure) {
    try {
      return error_of([&] {
        if (failure) std::rethrow_exception(failure);
      });
    } catch (const std::exception& other) {
      return {Code::internal, std::string("no Error but ") + other.what()};
    }
  }
  void expect_same_error() {
    const Error first = error_in(errors_.front());
    // Ranks that called different operations learn of it here, and would wait for ever elsewhere.
    EXPECT_NE(first.code(), Code::communication) << first.what();
    EXPECT_NE(first.code(), Code::internal) << first.what() << ", allocation " << k_ << " of rank " << bad_rank_;
    for (std::size_t rank = 1; rank < errors_.size(); ++rank) {
      const Error other = error_in(errors_[rank]);
      EXPECT_STREQ(other.what(), first.what()) << "rank " << rank << ", allocation " << k_ << " of rank " << bad_rank_;
      EXPECT_EQ(other.code(), first.code()) << "rank " << rank << ", allocation " << k_ << " of rank " << bad_rank_;
    }
  }

  int ranks_;
  int bad_rank_;
  int stride_;
  bool for_good_;
  std::int64_t k_ = 0, failures_ = 0;
  std::vector<std::exception_ptr> errors_;
};

}  // namespace lq::testing
