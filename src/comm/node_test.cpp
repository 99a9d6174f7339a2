// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nodes of ranks that are threads, several ranks per simulated node.
#include "comm/node.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/thread_comm.hpp"

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

}  // namespace
}  // namespace lq::comm
