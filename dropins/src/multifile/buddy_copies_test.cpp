// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies kept by neighbours are those of the vector.
#include "multifile/buddy_copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "multifile/serial_file.hpp"
#include "support/error_of.hpp"
#include "support/multifile_vectors.hpp"
#include "support/thread_comm.hpp"

namespace lq::multifile {
namespace {

using testing::bytes_in;
using testing::golden_vector;
using testing::run_ranks;
using testing::vector_bytes;
using testing::without_version;
using Handle = std::shared_ptr<comm::Comm>;

Creation request_of(comm::Comm& comm, int tasks_each, storage::Transport& transport, const char* mode) {
  Creation request;
  request.path = "v15_buddy.sion";
  request.mode = parse_mode(mode);
  request.chunk_bytes = 500;
  request.block_size = 256;
  request.rank = comm.rank();
  const int first = comm.rank() / tasks_each * tasks_each;
  request.location = locate_by_group(comm, first, comm.rank() - first, tasks_each);
  request.opener.transport = &transport;
  return request;
}

TEST(BuddyCopies, AreTheVector) {
  const auto memory = storage::make_memory();
  run_ranks(4, [&](Handle comm) {
    const int rank = comm->rank();
    const auto file = ParallelFile::create(make_team(comm), request_of(*comm, 2, *memory, "bw,posix,buddy"));
    for (std::int64_t done = 0; done < 500 + 10 * rank; done += 250 + 5 * rank) {
      EXPECT_TRUE(file->write_together(vector_bytes(15, rank, done, 250 + 5 * rank)));
    }
    file->close();
  });
  for (const char* suffix : {"", ".000001", "_BUDDY_00", "_BUDDY_00.000001"}) {
    const std::string name = std::string("v15_buddy.sion") + suffix;
    EXPECT_EQ(without_version(bytes_in(*memory, name)), without_version(golden_vector(name))) << name;
  }
}

TEST(BuddyCopies, OfSeveralLevelsHoldAllData) {
  const auto memory = storage::make_memory();
  run_ranks(6, [&](Handle comm) {
    const auto file = ParallelFile::create(make_team(comm), request_of(*comm, 2, *memory, "bw,posix,buddy=2"));
    EXPECT_TRUE(file->write_together(vector_bytes(15, comm->rank(), 0, 400)));
    file->close();
  });
  for (const char* suffix : {"", "_BUDDY_00", "_BUDDY_01"}) {
    Opening opening;
    opening.path = std::string("v15_buddy.sion") + suffix;
    opening.mode = parse_mode("br,posix");
    opening.opener.transport = memory.get();
    const auto file = SerialFile::open(opening);
    ASSERT_EQ(file->tasks(), 6U) << suffix;
    for (std::size_t t = 0; t < 6; ++t) {
      file->select(t);
      std::vector<std::byte> buffer(400);
      EXPECT_EQ(file->read(buffer), 400U);
      EXPECT_EQ(buffer, vector_bytes(15, static_cast<std::int64_t>(t), 0, 400)) << suffix << ", task " << t;
    }
  }
}

// Files of the vector are taken away until nobody can read all data any more.
TEST(BuddyCopies, StandInForWhatIsMissing) {
  struct Case {
    std::vector<std::string> missing;
    Code code;
  };
  const std::vector<Case> cases{{{}, Code::ok},
                                {{""}, Code::ok},
                                {{".000001"}, Code::ok},
                                {{"", ".000001"}, Code::ok},
                                {{"", "_BUDDY_00.000001"}, Code::ok},
                                {{"", "_BUDDY_00"}, Code::not_found}};
  for (const Case& now : cases) {
    const auto memory = storage::make_memory();
    for (const char* suffix : {"", ".000001", "_BUDDY_00", "_BUDDY_00.000001"}) {
      if (std::ranges::find(now.missing, suffix) != now.missing.end()) continue;
      const std::string name = std::string("v15_buddy.sion") + suffix;
      memory->create(name)->write_at(0, golden_vector(name));
    }
    run_ranks(4, [&](Handle comm) {
      Opening opening;
      opening.path = "v15_buddy.sion";
      opening.mode = parse_mode("br,posix,buddy");
      opening.opener.transport = memory.get();
      const int rank = comm->rank();
      const TaskLocation location = locate_by_group(*comm, rank / 2 * 2, rank % 2, 2);
      const Error error = testing::error_of([&] {
        const auto file = ParallelFile::open_with_buddies(make_team(comm), opening, location);
        std::vector<std::byte> buffer(static_cast<std::size_t>(500 + 10 * rank));
        std::size_t done = 0;
        while (!file->is_at_end()) done += file->read(base::MutableBytes(buffer).subspan(done));
        EXPECT_EQ(buffer, vector_bytes(15, rank, 0, 500 + 10 * rank));
        file->close();
      });
      EXPECT_EQ(error.code(), now.code) << error.what();
    });
  }
}

// Each group sees files of its own, as on nodes with disks of their own: the others' are read by those who see them.
TEST(BuddyCopies, AreServedByThoseWhoSeeThem) {
  const std::vector<std::vector<std::string>> seen{{".000001"}, {"_BUDDY_00"}};
  run_ranks(4, [&](Handle comm) {
    const int rank = comm->rank();
    const auto memory = storage::make_memory();
    for (const std::string& suffix : seen[static_cast<std::size_t>(rank / 2)]) {
      const std::string name = "v15_buddy.sion" + suffix;
      memory->create(name)->write_at(0, golden_vector(name));
    }
    Opening opening;
    opening.path = "v15_buddy.sion";
    opening.mode = parse_mode("br,posix,buddy");
    opening.opener.transport = memory.get();
    const TaskLocation location = locate_by_group(*comm, rank / 2 * 2, rank % 2, 2);
    const auto file = ParallelFile::open_with_buddies(make_team(comm), opening, location);
    ASSERT_TRUE(file->is_collective());
    std::vector<std::byte> all;
    for (int call = 0; call < 2; ++call) {
      std::vector<std::byte> buffer(static_cast<std::size_t>(250 + 5 * rank));
      EXPECT_EQ(file->read_together(buffer), buffer.size());
      all.insert(all.end(), buffer.begin(), buffer.end());
    }
    EXPECT_EQ(all, vector_bytes(15, rank, 0, 500 + 10 * rank));
    EXPECT_EQ(testing::error_of([&] {
                std::vector<std::byte> none;
                file->read(none);
              }).code(),
              Code::ok);
    file->close();
  });
}

TEST(BuddyCopies, NeedANeighbour) {
  const auto memory = storage::make_memory();
  run_ranks(2, [&](Handle comm) {
    const Error error = testing::error_of(
        [&] { ParallelFile::create(make_team(comm), request_of(*comm, 2, *memory, "bw,posix,buddy")); });
    EXPECT_EQ(error.code(), Code::invalid_argument);
  });
}

}  // namespace
}  // namespace lq::multifile
