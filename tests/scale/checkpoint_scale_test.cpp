// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Thousands of ranks write a multifile and read it again in one process: how many messages, collective operations and
// operations on files each of them needs. Eight times as many ranks need three messages more in each tree, and the same
// number of writes of metadata.
#include <gtest/gtest.h>
#include <limequat/multifile.hpp>

#include <algorithm>
#include <mutex>

#include "checkpoint/new_set.hpp"
#include "checkpoint/open_set.hpp"
#include "comm/tree.hpp"
#include "format/sion/head.hpp"
#include "format/sion/tail.hpp"
#include "support/faulty.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"

namespace lq::checkpoint {
namespace {

using testing::Traffic;

constexpr std::uint64_t bytes_per_task = 3000;  // one chunk

struct Observed {
  std::vector<Traffic> writing, reading;      // by rank
  std::vector<std::int64_t> file_operations;  // by rank, create to close
  std::uint64_t wrong = 0;
};

Observed observe(int ranks, int files) {
  Observed seen;
  seen.file_operations.resize(static_cast<std::size_t>(ranks));
  const auto transport = transport::make_memory();
  testing::run_ranks(ranks,
                     [&](std::shared_ptr<comm::Comm> comm) {
                       const auto rank = static_cast<std::size_t>(comm->rank());
                       testing::FaultyTransport counting(*transport);
                       MultifileOptions options;
                       options.files = files;
                       options.expected_bytes = bytes_per_task;
                       options.buffer_bytes = 4096;
                       const auto set = create_set(counting, "set", Communicator(std::move(comm)), options);
                       set->streams().front()->write(testing::stream_bytes(rank, 0, bytes_per_task));
                       set->close();
                       seen.file_operations[rank] = counting.operations();
                     },
                     {.traffic = &seen.writing});
  std::mutex mutex;
  testing::run_ranks(
      ranks,
      [&](std::shared_ptr<comm::Comm> comm) {
        const OpenSet set(*transport, "set", Communicator(std::move(comm)), {});
        const std::int64_t task = set.share().first;
        const auto window = set.task(task);
        std::vector<std::byte> bytes(bytes_per_task);
        const bool is_right = window->read_at(0, bytes) == bytes_per_task &&
                              testing::first_wrong(bytes, static_cast<std::uint64_t>(task)) == bytes_per_task;
        const std::lock_guard lock(mutex);
        seen.wrong += is_right && set.share().dealt.size() == 1 && set.share().windowed.size() <= 2 ? 0 : 1;
      },
      {.traffic = &seen.reading});
  return seen;
}

const Observed& four_thousand() {
  static const Observed seen = observe(4096, 1);
  return seen;
}

std::uint64_t most(const std::vector<Traffic>& all, std::uint64_t Traffic::*number) {
  return (*std::ranges::max_element(all, {}, number)).*number;
}

// Trees of writing: sums of tasks in the set and in the file, of widths; gatherings of files, shapes, counts, chunks.
constexpr std::uint64_t trees = 7;

TEST(CheckpointScale, FourThousandRanksTakeThreeStepsMoreThanFiveHundred) {
  for (const auto& [ranks, files] : {std::pair(512, 1), std::pair(64, 4)}) {
    SCOPED_TRACE(::testing::Message() << ranks << " ranks, " << files << " files");
    const Observed few = observe(ranks, files);
    const Observed many = files == 1 ? four_thousand() : observe(8 * ranks, files);
    EXPECT_EQ(few.wrong + many.wrong, 0u);
    EXPECT_EQ(most(many.writing, &Traffic::collectives), most(few.writing, &Traffic::collectives));
    EXPECT_EQ(most(many.reading, &Traffic::collectives), most(few.reading, &Traffic::collectives));
    // A node of a tree sends down to its children, and up; and what it passes on is cut into messages of 64 KiB.
    const std::uint64_t table = 24 * 4096 / comm::tree_piece_bytes + 1;
    EXPECT_LE(most(many.writing, &Traffic::messages), most(few.writing, &Traffic::messages) + trees * (3 + table));
    EXPECT_LE(most(many.writing, &Traffic::messages), trees * (2 * 12 + table));
    EXPECT_EQ(std::ranges::max(many.file_operations), std::ranges::max(few.file_operations));
  }
}

TEST(CheckpointScale, ARankSendsNoMoreThanTheTableHas) {
  const Observed& seen = four_thousand();
  // 24 bytes per rank when it is created, 16 per task and chunk when it is closed; sums of 8 bytes for each child.
  const std::uint64_t whole_table = 4096 * (24 + 16) + 4096 * 8;
  EXPECT_LE(most(seen.writing, &Traffic::bytes), whole_table);
  // Half of the ranks are leaves: they send what is their own.
  std::vector<std::uint64_t> sent;
  for (const Traffic& one : seen.writing) sent.push_back(one.bytes);
  std::ranges::sort(sent);
  EXPECT_LE(sent[sent.size() / 2], 200u);
}

}  // namespace
}  // namespace lq::checkpoint
