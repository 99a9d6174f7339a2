// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of ranks as tasks: ranks are threads here, too, and have threads of their own.
#include "multifile/threads.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "comm/agree.hpp"
#include "multifile/parallel_file.hpp"
#include "multifile/serial_file.hpp"
#include "support/error_of.hpp"
#include "support/multifile_vectors.hpp"
#include "support/thread_comm.hpp"

namespace lq::multifile {
namespace {

using testing::bytes_in;
using testing::error_of;
using testing::golden_vector;
using testing::run_ranks;
using testing::vector_bytes;
using testing::without_version;
using Handle = std::shared_ptr<comm::Comm>;
using Body = std::function<void(const std::shared_ptr<ThreadsComm>&)>;

void run_hybrid(int ranks, int threads, const Body& body) {
  run_ranks(ranks, [&](Handle comm) {
    const auto shared = std::make_shared<ThreadsComm::Shared>(threads, comm);
    std::vector<std::thread> others;
    // Thread 0 is the rank's own, for it alone communicates.
    for (int t = 1; t < threads; ++t) {
      others.emplace_back([&, t] { body(std::make_shared<ThreadsComm>(shared, t)); });
    }
    body(std::make_shared<ThreadsComm>(shared, 0));
    for (std::thread& thread : others) thread.join();
  });
}

TEST(Threads, AreAGroupLikeAnyOther) {
  run_hybrid(3, 2, [](const std::shared_ptr<ThreadsComm>& comm) {
    EXPECT_EQ(comm->size(), 6);
    for (int root = 0; root < 6; ++root) {
      std::uint64_t value = comm->rank() == root ? 100U + static_cast<unsigned>(root) : 0U;
      comm->broadcast(std::as_writable_bytes(std::span(&value, 1)), root);
      EXPECT_EQ(value, 100U + static_cast<unsigned>(root));
      const std::vector<std::byte> mine(static_cast<std::size_t>(comm->rank()), std::byte{7});
      const auto all = comm->gather(mine, root);
      EXPECT_EQ(all.size(), comm->rank() == root ? 6U : 0U);
      for (std::size_t r = 0; r < all.size(); ++r) EXPECT_EQ(all[r].size(), r);
      EXPECT_EQ(comm->scatter(all, root), mine);
    }
    std::uint64_t sum = static_cast<std::uint64_t>(comm->rank());
    comm->all_reduce(std::span(&sum, 1), comm::Reduce::sum);
    EXPECT_EQ(sum, 15U);
    comm->barrier();
  });
}

TEST(Threads, SendToEachOther) {
  run_hybrid(3, 2, [](const std::shared_ptr<ThreadsComm>& comm) {
    // To itself, and to all tasks after it; one byte for each number it has.
    std::vector<comm::Message> outgoing;
    for (int to = comm->rank(); to < comm->size(); ++to) {
      outgoing.push_back({to, std::vector<std::byte>(static_cast<std::size_t>(comm->rank()), std::byte(to))});
    }
    const auto arrived = comm->all_to_all(outgoing);
    ASSERT_EQ(arrived.size(), static_cast<std::size_t>(comm->rank()) + 1);
    for (int from = 0; from <= comm->rank(); ++from) {
      const comm::Message& message = arrived[static_cast<std::size_t>(from)];
      EXPECT_EQ(message.rank, from);
      EXPECT_EQ(message.bytes, std::vector<std::byte>(static_cast<std::size_t>(from), std::byte(comm->rank())));
    }
    EXPECT_TRUE(comm->all_to_all({}).empty());
  });
}

// Ranks of two threads, a file each, going round at both levels.
TEST(Threads, KeepCopiesOfTheirNeighboursData) {
  const auto memory = storage::make_memory();
  run_hybrid(3, 2, [&](const std::shared_ptr<ThreadsComm>& comm) {
    const int rank = comm->rank();
    Creation request;
    request.path = "copied.sion";
    request.mode = parse_mode("bw,posix,buddy=3");
    request.chunk_bytes = 300;
    request.block_size = 256;
    request.rank = rank;
    request.location = {rank / 2, 3, rank % 2, 2};
    request.opener.transport = memory.get();
    const auto file = ParallelFile::create(std::make_shared<ThreadsTeam>(comm), request);
    for (int call = 0; call < 3; ++call) {
      EXPECT_TRUE(file->write_together(vector_bytes(15, rank, 200 * call, 200)));
    }
    file->close();
  });
  for (const char* set : {"copied.sion", "copied.sion_BUDDY_00", "copied.sion_BUDDY_01", "copied.sion_BUDDY_02"}) {
    Opening opening;
    opening.path = set;
    opening.mode = parse_mode("br,posix");
    opening.opener.transport = memory.get();
    const auto file = SerialFile::open(opening);
    ASSERT_EQ(file->tasks(), 6U) << set;
    for (std::size_t t = 0; t < 6; ++t) {
      file->select(t);
      std::vector<std::byte> bytes(700);
      bytes.resize(file->read_stream(0, bytes));
      EXPECT_EQ(bytes, vector_bytes(15, static_cast<std::int64_t>(t), 0, 600)) << set << ", task " << t;
    }
  }
}

TEST(Threads, GetTheErrorOfAnyOfThem) {
  run_hybrid(2, 3, [](const std::shared_ptr<ThreadsComm>& comm) {
    const Error error = error_of([&] {
      comm::agree(*comm, [&] {
        if (comm->rank() == 4) throw Error(Code::no_space, "full");
      });
    });
    EXPECT_EQ(error.code(), Code::no_space);
    EXPECT_EQ(error.facts().rank, 4);
  });
}

TEST(Threads, WriteTheVector) {
  const auto memory = storage::make_memory();
  run_hybrid(2, 3, [&](const std::shared_ptr<ThreadsComm>& comm) {
    const int rank = comm->rank();
    Creation request;
    request.path = "v21_hybrid.sion";
    request.mode = parse_mode("bw,posix");
    request.chunk_bytes = 256 + 10 * comm->thread();
    request.block_size = 256;
    request.rank = rank;
    request.location = {rank / 3, 2, rank % 3, 3};
    request.opener.transport = memory.get();
    const auto file = ParallelFile::create(std::make_shared<ThreadsTeam>(comm), request);
    EXPECT_TRUE(file->write(vector_bytes(21, rank, 0, 150 + 20 * rank)));
    file->close();
  });
  for (const char* name : {"v21_hybrid.sion", "v21_hybrid.sion.000001"}) {
    EXPECT_EQ(without_version(bytes_in(*memory, name)), without_version(golden_vector(name))) << name;
  }
}

TEST(Threads, OfOneRankAreTasksOfOneFile) {
  Opening request;
  request.path = std::string(LQ_SOURCE_DIR) + "/tests/golden/good/sion/v21_hybrid.sion";  // 3 tasks in each of 2 files
  request.mode = parse_mode("br,posix");
  run_hybrid(2, 3, [&](const std::shared_ptr<ThreadsComm>& comm) {
    ParallelFile::open(std::make_shared<ThreadsTeam>(comm), request)->close();
  });
  for (const int ranks : {1, 3}) {
    run_hybrid(ranks, 6 / ranks, [&](const std::shared_ptr<ThreadsComm>& comm) {
      EXPECT_EQ(error_of([&] { ParallelFile::open(std::make_shared<ThreadsTeam>(comm), request); }).code(),
                Code::unsupported);
    });
  }
}

TEST(Threads, OnlyTheFirstOfARankCollects) {
  const auto memory = storage::make_memory();
  run_hybrid(2, 3, [&](const std::shared_ptr<ThreadsComm>& comm) {
    const int rank = comm->rank();
    Creation request;
    request.path = std::string("threads.sion");
    request.mode = parse_mode("bw,posix,collective,collsize=6");
    request.chunk_bytes = 1000;
    request.block_size = 64;
    request.rank = rank;
    request.location = {0, 1, rank, 6};
    request.opener.transport = memory.get();
    const auto team = std::make_shared<ThreadsTeam>(comm);
    const auto file = ParallelFile::create(team, request);
    EXPECT_EQ(file->collectors().collector % 3, 0);
    EXPECT_TRUE(file->write_together(vector_bytes(3, rank, 0, 700)));
    EXPECT_TRUE(file->write_together(vector_bytes(3, rank, 700, 300 - 10 * rank)));
    file->close();
    Opening opening;
    opening.path = std::string("threads.sion");
    opening.mode = parse_mode("br,posix,collective");
    opening.opener.transport = memory.get();
    const auto back = ParallelFile::open(team, opening);
    std::vector<std::byte> buffer(static_cast<std::size_t>(1000 - 10 * rank));
    EXPECT_EQ(back->read_together(buffer), buffer.size());
    EXPECT_EQ(buffer, vector_bytes(3, rank, 0, 1000 - 10 * rank));
    back->close();
  });
}

}  // namespace
}  // namespace lq::multifile
