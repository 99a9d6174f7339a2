// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums and gatherings over any number of ranks, against plain loops.
#include "checkpoint/tree.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/thread_comm.hpp"

namespace lq::checkpoint {
namespace {

class Tree : public ::testing::TestWithParam<int> {};

std::uint64_t value_of(int rank, std::uint64_t column) { return static_cast<std::uint64_t>(rank * rank) + 7 * column; }

TEST_P(Tree, SumsAreThoseOfTheRanksBelow) {
  testing::run_ranks(GetParam(), [](std::shared_ptr<comm::Comm> comm) {
    const std::vector<std::uint64_t> mine{value_of(comm->rank(), 0), value_of(comm->rank(), 1)};
    const Sums sums = exclusive_sums(*comm, mine);
    std::vector<std::uint64_t> before(2), total(2);
    for (int rank = 0; rank < comm->size(); ++rank) {
      for (std::uint64_t column = 0; column < 2; ++column) {
        if (rank < comm->rank()) before[column] += value_of(rank, column);
        total[column] += value_of(rank, column);
      }
    }
    EXPECT_EQ(sums.before, before);
    EXPECT_EQ(sums.total, total);
  });
}

// Of 0, 1 or many bytes; some ranks have more than a message takes.
std::vector<std::byte> bytes_of(int rank) {
  const std::size_t size = rank % 3 == 0 ? 0 : static_cast<std::size_t>(rank) * (rank == 5 ? 40'000U : 1U);
  return std::vector<std::byte>(size, static_cast<std::byte>(rank));
}

TEST_P(Tree, BytesArriveInTheOrderOfRanks) {
  testing::run_ranks(GetParam(), [](std::shared_ptr<comm::Comm> comm) {
    std::vector<std::byte> arrived;
    gather_bytes(*comm, bytes_of(comm->rank()), [&](base::Bytes bytes) {
      EXPECT_LE(bytes.size(), tree_piece_bytes);
      arrived.insert(arrived.end(), bytes.begin(), bytes.end());
    });
    std::vector<std::byte> expected;
    for (int rank = 0; comm->rank() == 0 && rank < comm->size(); ++rank) {
      const auto more = bytes_of(rank);
      expected.insert(expected.end(), more.begin(), more.end());
    }
    EXPECT_EQ(arrived, expected);
  });
}

TEST_P(Tree, ASinkThatThrowsLeavesNobodyWaiting) {
  testing::run_ranks(GetParam(), [](std::shared_ptr<comm::Comm> comm) {
    const std::vector<std::byte> mine(100'000);
    const auto gather = [&] { gather_bytes(*comm, mine, [](base::Bytes) { throw std::runtime_error("full"); }); };
    if (comm->rank() == 0) {
      EXPECT_THROW(gather(), std::runtime_error);
    } else {
      gather();
    }
    const std::uint64_t one = 1;
    EXPECT_EQ(exclusive_sums(*comm, std::span(&one, 1)).total[0], static_cast<std::uint64_t>(comm->size()));
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Tree, ::testing::Values(1, 2, 3, 4, 5, 7, 8, 13, 16, 33));

}  // namespace
}  // namespace lq::checkpoint
