// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What simulated ranks send, and hold, in each phase of a collective program.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "comm/tree.hpp"
#include "support/held_memory.hpp"
#include "support/thread_comm.hpp"

namespace lq::testing {

// Of the rank that has most of it.
struct Phase {
  std::uint64_t ranks = 0, collectives = 0, steps = 0, messages = 0, bytes = 0, writes = 0;
  std::uint64_t keeper_memory = 0;  // of those that read or write a table
  std::uint64_t other_memory = 0;   // of the others
};

class Counted {
 public:
  // What a rank holds of its own whatever the number of ranks: buffers, names, one stream.
  static constexpr std::uint64_t own_memory = 48 * 1024;

  class Rank {
   public:
    Rank(Counted& counted, comm::Comm& comm) : counted_(counted), comm_(comm) {}
    template <class Work>
    void phase(
        const std::string& name, const Work& work,
        const std::function<std::int64_t()>& writes = [] { return 0; }) const {
      const auto rank = static_cast<std::size_t>(comm_.rank());
      comm_.barrier();  // all have taken as many steps
      const Traffic before = counted_.traffic_[rank];
      const std::int64_t written = writes();
      HeldMemory& held = counted_.held_[rank];
      const std::int64_t held_before = held.now;
      held.most = held_before;
      {
        const OwnedBy me(&held);
        work();
      }
      const Traffic after = counted_.traffic_[rank];
      const std::uint64_t memory = static_cast<std::uint64_t>(held.most - held_before);
      const std::int64_t done = writes() - written;
      const std::lock_guard lock(counted_.mutex_);
      Phase& most = counted_.phases_[name];
      most.ranks = static_cast<std::uint64_t>(comm_.size());
      const auto raise = [](std::uint64_t& value, std::uint64_t to) { value = std::max(value, to); };
      raise(most.collectives, after.collectives - before.collectives);
      raise(most.steps, after.steps - before.steps);
      raise(most.messages, after.messages - before.messages);
      raise(most.bytes, after.bytes - before.bytes);
      raise(most.writes, static_cast<std::uint64_t>(done));
      raise(counted_.is_keeper_(rank) ? most.keeper_memory : most.other_memory, memory);
    }

   private:
    Counted& counted_;
    comm::Comm& comm_;
  };

  Counted(int ranks, std::function<bool(std::size_t)> is_keeper)
      : is_keeper_(std::move(is_keeper)), held_(static_cast<std::size_t>(ranks)) {}
  Counted(Counted&& other) noexcept : held_(0), phases_(std::move(other.phases_)) {}

  void run(const std::function<void(const std::shared_ptr<comm::Comm>&, const Rank&)>& body) {
    run_ranks(static_cast<int>(held_.size()),
              [&](const std::shared_ptr<comm::Comm>& comm) { body(comm, Rank(*this, *comm)); }, {.traffic = &traffic_});
  }

  const Phase& phase(const std::string& name) const { return phases_.at(name); }

 private:
  std::function<bool(std::size_t)> is_keeper_;
  std::vector<HeldMemory> held_;
  std::vector<Traffic> traffic_;
  std::map<std::string, Phase> phases_;
  std::mutex mutex_;
};

// `few_bytes`, `many_bytes`: at most these pass through the busiest rank; they are cut into messages.
inline void expect_logarithmic(const Phase& few, const Phase& many, std::uint64_t few_bytes, std::uint64_t many_bytes) {
  const auto levels = [](const Phase& phase) { return static_cast<std::uint64_t>(std::bit_width(phase.ranks - 1)); };
  const std::uint64_t pieces = (many_bytes - few_bytes) / comm::tree_piece_bytes + 1;
  EXPECT_EQ(many.collectives, few.collectives);
  EXPECT_EQ(many.writes, few.writes);
  // With no more pieces both would be in the ratio of the levels, rounded up.
  EXPECT_LE(many.steps, few.steps * levels(many) / levels(few) + levels(many) + 4 * pieces);
  EXPECT_LE(many.messages, few.messages * levels(many) / levels(few) + levels(many) + 4 * pieces);
  EXPECT_LE(many.other_memory, 2 * comm::tree_piece_bytes + Counted::own_memory);
}

}  // namespace lq::testing
