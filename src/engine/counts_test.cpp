// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counts against loops over all sites of all chunks.
#include "engine/cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "lattice/site_order.hpp"
#include "support/transfers.hpp"

namespace lq::engine {
namespace {

using testing::TransferCase;
using testing::TransferOf;

constexpr std::uint64_t no_limit = ~std::uint64_t{0};

// Every site of every chunk, told apart by who holds it.
std::vector<Counts> counted_by_site(const TransferOf& made, const ShareOptions& options) {
  const Transfer& transfer = made.transfer();
  const Shares shares(transfer, options);
  const SiteOrder order = lattice::resolve_order(transfer.payload.order, transfer.payload.extents.size());
  std::vector<Counts> all(static_cast<std::size_t>(made.ranks()));
  for (std::uint64_t number = shares.first_chunk(); number < shares.end_chunk(); ++number) {
    const Chunk chunk = shares.chunk(number);
    std::set<int> holders;
    for (std::uint64_t site = chunk.first_site; site < chunk.end_site; ++site) {
      const Coord x = lattice::site_at(site, transfer.payload.stored, order);
      for (int rank = 0; rank < made.ranks(); ++rank) {
        if (!transfer.box_of(rank).contains(x)) continue;
        holders.insert(rank);
        if (rank != chunk.owner) all[static_cast<std::size_t>(rank)].bytes_exchanged += transfer.site_bytes();
      }
    }
    if (holders.empty()) continue;
    Counts& owner = all[static_cast<std::size_t>(chunk.owner)];
    owner.stored += chunk.end_byte - chunk.first_byte;
    ++owner.calls;
    for (const int holder : holders) {
      if (holder == chunk.owner) continue;
      ++all[static_cast<std::size_t>(holder)].messages;
      ++owner.arrivals;
    }
  }
  return all;
}

auto numbers(const Counts& c) { return std::tuple(c.stored, c.calls, c.messages, c.bytes_exchanged, c.arrivals); }

class CountsOf : public ::testing::TestWithParam<TransferCase> {
 protected:
  TransferOf made_{GetParam()};
};

TEST_P(CountsOf, AreThoseOfEverySiteOfEveryChunk) {
  const int dimensions = GetParam().lattice.size();
  for (int shared = 0; shared <= dimensions; ++shared) {
    for (const auto owners : std::to_array<std::uint64_t>({0, 1, 2})) {
      const Choice choice{Strategy::messages, {shared, owners, 512, 256}, 0, ""};
      const std::vector<Counts> expected = counted_by_site(made_, choice.shares);
      for (int rank = 0; rank < made_.ranks(); ++rank) {
        const Counts counts = count_work(made_.transfer(), choice, rank, no_limit);
        EXPECT_EQ(numbers(counts), numbers(expected[static_cast<std::size_t>(rank)])) << rank;
        EXPECT_TRUE(counts.is_exact);
      }
    }
  }
}

TEST_P(CountsOf, TheBusiestRankAreFoundAmongAFew) {
  const Geometry geometry(made_.transfer());
  const Choice choice{Strategy::messages, {2, 0, 512, 256}, 0, ""};
  Counts most;
  for (const Counts& one : counted_by_site(made_, choice.shares)) {
    most.stored = std::max(most.stored, one.stored);
    most.messages = std::max(most.messages, one.messages);
    most.bytes_exchanged = std::max(most.bytes_exchanged, one.bytes_exchanged);
    most.arrivals = std::max(most.arrivals, one.arrivals);
  }
  const Counts found = count_busiest(made_.transfer(), geometry, choice, no_limit);
  EXPECT_EQ(found.stored, most.stored);
  EXPECT_EQ(found.messages, most.messages);
  EXPECT_EQ(found.bytes_exchanged, most.bytes_exchanged);
  EXPECT_EQ(found.arrivals, most.arrivals);
}

INSTANTIATE_TEST_SUITE_P(Geometries, CountsOf, ::testing::ValuesIn(testing::transfer_cases()));

TEST(Counts, OfDirectRowsAreThoseOfTheLattice) {
  const TransferOf made({"", {8, 4, 4, 6}, {2, 1, 1, 3}, 24});
  const Counts counts = count_work(made.transfer(), {}, 0, no_limit);
  EXPECT_EQ(counts.calls, 4u * 4 * 2);
  EXPECT_EQ(counts.stored, 4u * 4 * 4 * 2 * 24);
  EXPECT_EQ(counts.messages, 0u);
  // Long rows are moved in blocks of half a mebibyte.
  const TransferOf slabs({"", {32, 32, 32, 8}, {1, 1, 1, 2}, 576});
  EXPECT_EQ(count_work(slabs.transfer(), {}, 0, no_limit).calls, (32u * 32 * 32 * 4 + 909) / 910);
}

TEST(Counts, ContinueFromAPartOfTheWalk) {
  const TransferOf made({"", {32, 16, 16, 64}, {4, 2, 2, 1}, 96, 1000});
  const Choice choice{Strategy::messages, {3, 0, 65536, 16384}, 0, ""};
  const Counts exact = count_work(made.transfer(), choice, 5, no_limit);
  const Counts part = count_work(made.transfer(), choice, 5, 12);
  EXPECT_FALSE(part.is_exact);
  const auto near = [](std::uint64_t a, std::uint64_t b) {
    EXPECT_NEAR(static_cast<double>(a), static_cast<double>(b), 0.15 * static_cast<double>(b));
  };
  near(part.stored, exact.stored);
  near(part.calls, exact.calls);
  near(part.messages, exact.messages);
  near(part.bytes_exchanged, exact.bytes_exchanged);
  near(part.arrivals, exact.arrivals);
}

}  // namespace
}  // namespace lq::engine
