// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nodes of ranks that are threads, several ranks per simulated node; and the memory that such ranks share.
#include "comm/node.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "support/thread_comm.hpp"
#include "support/watched_comm.hpp"

namespace lq::comm {
namespace {

TEST(Node, KnowsWhoRunsOnIt) {
  testing::run_ranks(5,
                     [](const std::shared_ptr<Comm>& comm) {
                       const Node& node = comm->node();
                       const int first = comm->rank() / 2 * 2;
                       EXPECT_EQ(node.ranks().front(), first);
                       EXPECT_EQ(node.ranks().size(), first == 4 ? 1U : 2U);
                       EXPECT_EQ(node.index(), comm->rank() - first);
                       EXPECT_EQ(node.index_of(first), 0);
                       EXPECT_EQ(node.index_of(first + 2), std::nullopt);
                       EXPECT_FALSE(node.is_only());
                       EXPECT_EQ(node.largest(), 2);
                     },
                     {.ranks_per_node = 2});
}

TEST(Node, LeasedMemoryIsSeenByAllRanksOfTheNodeAndNoOthers) {
  testing::run_ranks(4,
                     [](const std::shared_ptr<Comm>& comm) {
                       Node& node = comm->node();
                       const auto lease = node.lease(5000);
                       ASSERT_NE(lease, nullptr);
                       std::memset(lease->area(node.index()), comm->rank() + 1, 5000);
                       comm->barrier();
                       for (const int rank : node.ranks()) {
                         const std::byte* area = lease->area(*node.index_of(rank));
                         EXPECT_EQ(area[0], static_cast<std::byte>(rank + 1));
                         EXPECT_EQ(area[4999], static_cast<std::byte>(rank + 1));
                       }
                       comm->barrier();
                     },
                     {.ranks_per_node = 2});
}

TEST(Node, SeveralLeasesAreApartAndMemoryIsUsedAgain) {
  testing::run_ranks(3, [](const std::shared_ptr<Comm>& comm) {
    Node& node = comm->node();
    auto a = node.lease(100), b = node.lease(100);
    const std::byte* const at = a->area(0);
    EXPECT_NE(at, b->area(0));
    // Given back in an order of each rank's own.
    if (comm->rank() == 1) b.reset();
    a.reset();
    b.reset();
    const auto c = node.lease(100);
    std::byte* const mine = c->area(node.index());
    *mine = static_cast<std::byte>(comm->rank());
    comm->barrier();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(*c->area(i), static_cast<std::byte>(i));
    comm->barrier();
  });
}

TEST(Node, OneRankAloneIsItsNode) {
  const auto self = make_self();
  EXPECT_TRUE(self->node().is_only());
  EXPECT_NE(self->node().lease(10), nullptr);
}

// How many objects of a process the shared memory file system has.
std::size_t named_objects_of(pid_t process) {
  const std::string prefix = "limequat-" + std::to_string(process) + "-";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().starts_with(prefix)) ++count;
  }
  return count;
}

// Ranks of a process that is killed in front of collective operation number k of rank 1. Whether it came so far.
bool is_killed_at(int k, bool has_name) {
  const pid_t child = ::fork();
  if (child == 0) {
    testing::run_ranks(2, [&](std::shared_ptr<Comm> comm) {
      testing::WatchedComm watched(*comm, [&](std::uint64_t operation) {
        if (comm->rank() == 1 && operation == static_cast<std::uint64_t>(k)) ::kill(::getpid(), SIGKILL);
      });
      const auto memory = SharedMemory::create(watched, 5000, has_name);
      if (memory) *memory->area(comm->rank()) = std::byte{1};
      watched.barrier();
    });
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const std::size_t left = named_objects_of(child);
  // A name is gone when all have opened it.
  EXPECT_LE(left, has_name && k < 3 ? 1U : 0U) << "killed at operation " << k;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("limequat-" + std::to_string(child) + "-")) std::filesystem::remove(entry.path());
  }
  return WIFSIGNALED(status);
}

TEST(SharedMemory, WithoutANameLeavesNothingBehindWhereverARankIsKilled) {
  int kills = 0;
  while (is_killed_at(kills, false)) ++kills;
  EXPECT_GE(kills, 3);
}

TEST(SharedMemory, WithANameLeavesNothingOnceItIsOpen) {
  int kills = 0;
  while (is_killed_at(kills, true)) ++kills;
  EXPECT_GE(kills, 3);
}

TEST(SharedMemory, NeedsNoNameHere) {
  testing::run_ranks(3, [](const std::shared_ptr<Comm>& comm) {
    for (const bool has_name : {false, true}) {
      const auto memory = SharedMemory::create(*comm, 100, has_name);
      ASSERT_NE(memory, nullptr);
      *memory->area(comm->rank()) = static_cast<std::byte>(comm->rank());
      comm->barrier();
      for (int i = 0; i < 3; ++i) EXPECT_EQ(*memory->area(i), static_cast<std::byte>(i));
      comm->barrier();
    }
  });
}

}  // namespace
}  // namespace lq::comm
