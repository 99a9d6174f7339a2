// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums, gatherings and dealings out over any number of ranks, against plain loops.
#include "comm/tree.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/thread_comm.hpp"

namespace lq::comm {
namespace {

class Tree : public ::testing::TestWithParam<int> {};

std::uint64_t value_of(int rank, std::uint64_t column) { return static_cast<std::uint64_t>(rank * rank) + 7 * column; }

TEST_P(Tree, SumsAreThoseOfTheRanksBelow) {
  testing::run_ranks(GetParam(), [](std::shared_ptr<Comm> comm) {
    const std::vector<std::uint64_t> mine{value_of(comm->rank(), 0), value_of(comm->rank(), 1)};
    const Sums sums = exclusive_sums(*comm, mine);
    decltype(Sums::before) before{}, total{};
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

TEST_P(Tree, BytesArriveInTheOrderOfRanksFromTheRootOn) {
  testing::run_ranks(GetParam(), [](std::shared_ptr<Comm> comm) {
    for (const int root : {0, comm->size() / 2, comm->size() - 1}) {
      std::vector<std::byte> arrived;
      comm->gather_pieces(bytes_of(comm->rank()), root, [&](base::Bytes bytes) {
        EXPECT_LE(bytes.size(), tree_piece_bytes);
        arrived.insert(arrived.end(), bytes.begin(), bytes.end());
      });
      std::vector<std::byte> expected;
      for (int i = 0; comm->rank() == root && i < comm->size(); ++i) {
        const auto more = bytes_of((root + i) % comm->size());
        expected.insert(expected.end(), more.begin(), more.end());
      }
      EXPECT_EQ(arrived, expected);
    }
  });
}

struct Record {
  std::uint64_t a, b, c;
};

// 24 bytes do not divide a piece.
TEST_P(Tree, RecordsArriveWhole) {
  testing::run_ranks(GetParam(), [](std::shared_ptr<Comm> comm) {
    std::vector<Record> mine;
    for (int i = 0; i < 1000; ++i) mine.push_back({value_of(comm->rank(), 0), value_of(i, 0), 7});
    std::uint64_t arrived = 0, wrong = 0;
    gather_records(*comm, std::span<const Record>(mine), 0, [&](const Record& record) {
      wrong += record.a == value_of(static_cast<int>(arrived / 1000), 0) &&
                       record.b == value_of(static_cast<int>(arrived % 1000), 0) && record.c == 7
                   ? 0
                   : 1;
      ++arrived;
    });
    EXPECT_EQ(arrived, comm->rank() == 0 ? static_cast<std::uint64_t>(comm->size()) * 1000 : 0u);
    EXPECT_EQ(wrong, 0u);
  });
}

TEST_P(Tree, ASinkThatThrowsLeavesNobodyWaiting) {
  testing::run_ranks(GetParam(), [](std::shared_ptr<Comm> comm) {
    const std::vector<std::byte> mine(100'000);
    const auto gather = [&] { comm->gather_pieces(mine, 0, [](base::Bytes) { throw std::runtime_error("full"); }); };
    if (comm->rank() == 0) {
      EXPECT_THROW(gather(), std::runtime_error);
    } else {
      gather();
    }
    const std::uint64_t one = 1;
    EXPECT_EQ(exclusive_sums(*comm, std::span(&one, 1)).total[0], static_cast<std::uint64_t>(comm->size()));
  });
}

TEST_P(Tree, PartsOfAnySizeReachTheirRanks) {
  testing::run_ranks(GetParam(), [](std::shared_ptr<Comm> comm) {
    for (const int root : {0, comm->size() / 2, comm->size() - 1}) {
      const auto mine = comm->scatter_parts(
          [&](int rank) {
            EXPECT_EQ(comm->rank(), root);
            return bytes_of(rank);
          },
          root);
      EXPECT_EQ(mine, bytes_of(comm->rank()));
    }
  });
}

TEST_P(Tree, PartsThatCannotBeMadeLeaveNobodyWaiting) {
  testing::run_ranks(GetParam(), [](std::shared_ptr<Comm> comm) {
    int made = 0;
    const auto deal = [&] {
      return comm->scatter_parts(
          [&](int) {
            if (++made > comm->size() / 2) throw std::runtime_error("no memory");
            return std::vector<std::byte>(1000);
          },
          0);
    };
    if (comm->rank() == 0) {
      EXPECT_THROW(deal(), std::runtime_error);
    } else {
      EXPECT_EQ(deal().size(), comm->rank() < comm->size() / 2 ? 1000u : 0u);
    }
    comm->barrier();
  });
}

// Messages and bytes of the busiest rank, from tiny parts to those that take many messages.
TEST_P(Tree, CostIsWhatIsSent) {
  for (const std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{24}, std::uint64_t{50'000}, std::uint64_t{131'072}}) {
    const auto ranks = static_cast<std::uint64_t>(GetParam());
    const std::vector<std::byte> mine(bytes);
    const auto expect = [&](const char* what, const TreeCost& cost, const std::function<void(Comm&)>& work) {
      std::vector<testing::Traffic> traffic;
      testing::run_ranks(GetParam(), [&](std::shared_ptr<Comm> comm) { work(*comm); }, {.traffic = &traffic});
      std::uint64_t messages = 0, sent = 0, steps = 0;
      for (const testing::Traffic& one : traffic) {
        messages = std::max(messages, one.messages);
        sent = std::max(sent, one.bytes);
        steps = std::max(steps, one.steps);
      }
      EXPECT_EQ(messages, cost.messages) << what << " of " << bytes << " bytes";
      EXPECT_EQ(sent, cost.bytes) << what << " of " << bytes << " bytes";
      EXPECT_LE(steps, cost.steps) << what << " of " << bytes << " bytes";
      EXPECT_GE(3 * steps, cost.steps) << what << " of " << bytes << " bytes";
    };
    expect("gathering", gathering_cost(ranks, bytes),
           [&](Comm& comm) { comm.gather_pieces(mine, 0, [](base::Bytes) {}); });
    expect("dealing out", scattering_cost(ranks, bytes),
           [&](Comm& comm) { comm.scatter_parts([&](int) { return mine; }, 0); });
    const std::vector<std::uint64_t> values(std::min<std::size_t>(bytes / 8, Sums::most));
    expect("sums", summing_cost(ranks, values.size()), [&](Comm& comm) { exclusive_sums(comm, values); });
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Tree, ::testing::Values(1, 2, 3, 4, 5, 7, 8, 13, 16, 33));

}  // namespace
}  // namespace lq::comm
