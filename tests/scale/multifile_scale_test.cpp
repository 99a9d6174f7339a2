// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Thousands of tasks open a multifile together to write and to read, as programs over sion.h do.
#include <gtest/gtest.h>

#include "multifile/parallel_file.hpp"
#include "scale/counted.hpp"
#include "support/faulty.hpp"

namespace lq::multifile {
namespace {

using testing::Counted;

constexpr int chunks = 4;
constexpr std::int64_t chunk_bytes = 512;

Counted observe(int ranks, int files) {
  const auto transport = storage::make_memory();
  const auto is_keeper = [&](std::size_t rank) {
    return locate_evenly(static_cast<std::int32_t>(rank), ranks, files).task == 0;
  };
  Counted counted(ranks, is_keeper);
  counted.run([&](const std::shared_ptr<comm::Comm>& comm, const Counted::Rank& rank) {
    testing::FaultyTransport counting(*transport);
    const std::vector<std::byte> data(chunk_bytes, static_cast<std::byte>(comm->rank()));
    Creation creation;
    creation.path = "set";
    creation.mode = parse_mode("bw,posix");
    creation.chunk_bytes = chunk_bytes;
    creation.block_size = 512;
    creation.rank = comm->rank();
    creation.location = locate_evenly(comm->rank(), ranks, files);
    creation.opener.transport = &counting;
    std::unique_ptr<ParallelFile> file;
    rank.phase(
        "create", [&] { file = ParallelFile::create(make_team(comm), creation); }, [&] { return counting.writes(); });
    for (int chunk = 0; chunk < chunks; ++chunk) EXPECT_TRUE(file->write(data));
    file->flush();
    rank.phase(
        "close", [&] { file->close(); }, [&] { return counting.writes(); });
    file.reset();
    Opening opening;
    opening.path = "set";
    opening.mode = parse_mode("br,posix");
    opening.opener.transport = transport.get();
    rank.phase("open", [&] { file = ParallelFile::open(make_team(comm), opening); });
    std::vector<std::byte> back(chunk_bytes);
    EXPECT_EQ(file->read(back), back.size());
    EXPECT_EQ(back, data);
    rank.phase("close after reading", [&] { file->close(); });
  });
  return counted;
}

void expect_scaling(int few_ranks, int files) {
  const Counted few = observe(few_ranks, files), many = observe(8 * few_ranks, files);
  for (const char* what : {"create", "close", "open", "close after reading"}) {
    SCOPED_TRACE(::testing::Message() << what << ", " << files << " files");
    const std::uint64_t each = 104 + 8 * chunks;  // bytes of an answer, the longest that is sent
    testing::expect_logarithmic(few.phase(what), many.phase(what), each * static_cast<std::uint64_t>(few_ranks),
                                each * 8 * static_cast<std::uint64_t>(few_ranks));
  }
  // A header; a table, and where it is.
  EXPECT_EQ(many.phase("create").writes, 1u);
  EXPECT_EQ(many.phase("close").writes, 2u);
  // 16 bytes of each task, 8 of each chunk, and half as much again while they are written: at most twice that.
  const auto tasks = static_cast<std::uint64_t>(8 * few_ranks / files);
  const std::uint64_t map = files > 1 ? 8 * 8 * static_cast<std::uint64_t>(few_ranks) : 0;
  const std::uint64_t own = Counted::own_memory + 2 * comm::tree_piece_bytes;
  EXPECT_LE(many.phase("create").keeper_memory, 2 * 24 * tasks + own);
  EXPECT_LE(many.phase("close").keeper_memory, 2 * (16 + 8 * chunks) * tasks + 2 * map + own);
}

TEST(MultifileScale, FourThousandTasksInOneFile) { expect_scaling(512, 1); }
TEST(MultifileScale, FourThousandTasksInSixteenFiles) { expect_scaling(512, 16); }

}  // namespace
}  // namespace lq::multifile
