// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cores are shared among the ranks of a node by what each of them may run on.
#include "comm/node.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <numeric>
#include <vector>

#include "comm/team.hpp"
#include "support/thread_comm.hpp"

namespace lq::comm {
namespace {

constexpr std::uint64_t much = std::uint64_t{1} << 40;

std::vector<int> cores_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof(set), &set);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

void bind_this_thread_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(set), &set), 0);
}

TEST(HowMany, AsManyAsAreAskedFor) {
  testing::run_ranks(2, [](const std::shared_ptr<comm::Comm>& comm) {
    EXPECT_EQ(thread_count(*comm, comm->rank() + 3, much), comm->rank() + 3);  // ranks may differ
    EXPECT_EQ(thread_count(*comm, 5, 0), 5);
    EXPECT_EQ(thread_count(*comm, 1, much), 1);
    EXPECT_EQ(thread_count(*comm, 1 << 30, much), 1024);
  });
}

TEST(HowMany, OneIsOneWhateverCoresThereAre) {
  testing::run_ranks(1, [](const std::shared_ptr<comm::Comm>& comm) { EXPECT_EQ(thread_count(*comm, 1, much), 1); });
}

TEST(HowMany, CoresAreSharedFairly) {
  const auto cores = static_cast<int>(cores_of_this_thread().size());
  for (const int ranks : {1, 2, 3, 5}) {
    std::vector<int> threads(static_cast<std::size_t>(ranks));
    testing::run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
      threads[static_cast<std::size_t>(comm->rank())] = thread_count(*comm, 0, much);
    });
    for (const int mine : threads) {
      EXPECT_GE(mine, std::max(cores / ranks, 1));
      EXPECT_LE(mine, std::max((cores + ranks - 1) / ranks, 1));
    }
    EXPECT_EQ(std::accumulate(threads.begin(), threads.end(), 0), std::max(cores, ranks));
  }
}

TEST(HowMany, ARankThatIsBoundToOneCoreHasOneThread) {
  const std::vector<int> cores = cores_of_this_thread();
  testing::run_ranks(2, [&](const std::shared_ptr<comm::Comm>& comm) {
    // Each a core of its own where there are two; else both the same.
    bind_this_thread_to(cores[static_cast<std::size_t>(comm->rank()) % cores.size()]);
    EXPECT_EQ(base::usable_cores(), 1);
    EXPECT_EQ(thread_count(*comm, 0, much), 1);
    EXPECT_EQ(thread_count(*comm, 4, much), 4);
  });
}

// A rank that is bound leaves the other cores to the one that is not.
TEST(HowMany, CoresThatOthersCannotUseAreNotSharedWithThem) {
  const std::vector<int> cores = cores_of_this_thread();
  if (cores.size() < 2) GTEST_SKIP() << "needs two cores";
  testing::run_ranks(2, [&](const std::shared_ptr<comm::Comm>& comm) {
    if (comm->rank() == 1) bind_this_thread_to(cores.back());
    const int mine = comm->node().own_cores();
    EXPECT_EQ(mine, comm->rank() == 1 ? 1 : static_cast<int>(cores.size()) - 1);
  });
}

TEST(HowMany, SmallWorkHasOneThreadAndMiddlingWorkAFew) {
  testing::run_ranks(1, [](const std::shared_ptr<comm::Comm>& comm) {
    EXPECT_EQ(thread_count(*comm, 0, 0), 1);
    EXPECT_EQ(thread_count(*comm, 0, (16 << 20) - 1), 1);
    EXPECT_LE(thread_count(*comm, 0, 16 << 20), 4);
  });
}

TEST(HowMany, MemoryBoundsThem) {
  EXPECT_EQ(within(8, 16 << 20, 512 << 10), 8);
  EXPECT_EQ(within(72, 16 << 20, 512 << 10), 32);
  EXPECT_EQ(within(8, 100, 512 << 10), 1);
  EXPECT_EQ(within(8, 100, 0), 8);
  EXPECT_EQ(within(0, 100, 1), 1);
}

}  // namespace
}  // namespace lq::comm
