// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Thousands of ranks create a checkpoint, close it, read it and go on with it in one process: the messages, bytes,
// steps and writes of the busiest rank, and the memory of those that keep no table, are counted and compared with the
// plan.
#include <gtest/gtest.h>
#include <limequat/multifile.hpp>
#include <limequat/multifile_plan.hpp>

#include <algorithm>

#include "scale/counted.hpp"
#include "sets/checkpoint/new_set.hpp"
#include "sets/checkpoint/open_set.hpp"
#include "support/faulty.hpp"
#include "support/streams.hpp"

namespace lq::sets {
namespace {

using testing::Counted;

constexpr std::uint64_t bytes_per_task = 3000;

MultifileOptions options_for(int files) {
  MultifileOptions options;
  options.files = files;
  options.expected_bytes = bytes_per_task;
  options.buffer_bytes = 4096;
  return options;
}

std::uint64_t alike(std::uint64_t) { return bytes_per_task; }

// create, close, open, append, close again. size_of: bytes of a task.
Counted observe(int ranks, int files, std::uint64_t (*size_of)(std::uint64_t task) = alike) {
  const auto transport = storage::make_memory();
  const auto is_keeper = [&](std::size_t rank) {
    const std::size_t each = static_cast<std::size_t>(ranks / files);
    return rank % each == 0 && rank / each < static_cast<std::size_t>(files);
  };
  Counted counted(ranks, is_keeper);
  counted.run([&](const std::shared_ptr<comm::Comm>& comm, const Counted::Rank& rank) {
    const auto number = static_cast<std::size_t>(comm->rank());
    testing::FaultyTransport counting(*transport);
    std::unique_ptr<NewSet> set;
    rank.phase(
        "create", [&] { set = create_set(counting, "set", Communicator(comm), options_for(files)); },
        [&] { return counting.writes(); });
    set->streams().front()->write(testing::stream_bytes(number, 0, size_of(number)));
    set->streams().front()->flush();
    rank.phase(
        "close", [&] { set->close(); }, [&] { return counting.writes(); });
    set.reset();
    rank.phase("open", [&] {
      const auto opened = OpenSet::open(*transport, "set", Communicator(comm), {});
      const OpenSet& open = *opened;
      EXPECT_EQ(open.share().first, comm->rank());
      std::vector<std::byte> bytes(size_of(number));
      EXPECT_EQ(open.task(open.share().first)->read_at(0, bytes), bytes.size());
      EXPECT_EQ(testing::first_wrong(bytes, number), bytes.size());
    });
    rank.phase("append", [&] { set = append_to_set(*transport, "set", Communicator(comm), options_for(0)); });
    rank.phase("append-close", [&] { set->close(); });
  });
  return counted;
}

// Of sets of several files fewer: what they share out follows the number of files, not of ranks.
constexpr int many = 4096, some = 1024;

TEST(CheckpointScale, WhatIsSentIsWhatWasPlanned) {
  for (const auto& [ranks, files] : {std::pair{many, 1}, {some, 16}, {some, 64}}) {
    const Counted seen = observe(ranks, files);
    const MultifilePlan plan =
        plan_multifile({static_cast<std::uint64_t>(ranks), static_cast<std::uint64_t>(files), bytes_per_task, 512});
    EXPECT_EQ(plan.chunks, 1u);
    for (const MetadataCost& cost : plan.costs) {
      SCOPED_TRACE(::testing::Message() << cost.what << ", " << files << " files");
      const testing::Phase& done = seen.phase(cost.what);
      EXPECT_EQ(done.collectives, cost.collectives);
      EXPECT_LE(done.steps, cost.steps);
      EXPECT_GE(2 * done.steps, cost.steps);
      EXPECT_LE(done.messages, cost.messages);
      EXPECT_GE(3 * done.messages, 2 * cost.messages);
      EXPECT_LE(done.bytes, cost.bytes);
      EXPECT_GE(2 * done.bytes, cost.bytes);
      EXPECT_EQ(done.writes, cost.writes);
      EXPECT_LE(done.keeper_memory, cost.writer_memory + Counted::own_memory);
      EXPECT_LE(done.other_memory, cost.other_memory + Counted::own_memory);
    }
  }
}

// All bytes in two files in the middle: their readers, who get other parts of the set themselves, deal windows out to
// all.
TEST(CheckpointScale, WhereTheBytesLieCostsNoMoreThanATreeOfAllRanks) {
  const Counted seen =
      observe(some, 16, [](std::uint64_t task) { return task / 64 == 6 || task / 64 == 9 ? bytes_per_task : 0; });
  const MetadataCost planned = plan_multifile({some, 16, bytes_per_task, 512}).costs.back();
  ASSERT_EQ(planned.what, "open");
  const testing::Phase& open = seen.phase("open");
  const std::uint64_t entry = 8 * 14 + 8;  // of a window in a task
  const comm::TreeCost windows = comm::scattering_cost(some / 2, entry);
  EXPECT_EQ(open.collectives, planned.collectives);
  // Two trees, one after the other, and what goes to the first rank of each, which is another than who has it.
  EXPECT_LE(open.steps, planned.steps + 2 * windows.steps + 2 * (some / 2 * entry / comm::tree_piece_bytes + 1));
  EXPECT_LE(open.keeper_memory, planned.writer_memory + 3 * (some / 2) * entry + Counted::own_memory);
  EXPECT_LE(open.other_memory, planned.other_memory + Counted::own_memory);
}

// Nobody holds the tables of other files than his own.
TEST(CheckpointScale, GoingOnWithASetOfSeveralFilesIsDealtOutByFile) {
  const Counted one = observe(some, 1);
  const Counted shared = observe(some, 64);
  for (const char* what : {"append", "append-close"}) {
    SCOPED_TRACE(what);
    EXPECT_LT(2 * shared.phase(what).keeper_memory, one.phase(what).keeper_memory);
    EXPECT_LE(shared.phase(what).other_memory, Counted::own_memory);
    EXPECT_LE(shared.phase(what).steps, one.phase(what).steps + 12);
  }
}

TEST(CheckpointScale, EightTimesAsManyRanksTakeThreeLevelsMore) {
  const Counted few = observe(512, 1), all = observe(many, 1);
  for (const char* what : {"create", "close", "open", "append", "append-close"}) {
    SCOPED_TRACE(what);
    testing::expect_logarithmic(few.phase(what), all.phase(what), 512 * 192 * 2, many * 192 * 2);
  }
}

}  // namespace
}  // namespace lq::sets
