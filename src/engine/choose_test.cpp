// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/choose.hpp"

#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include <array>
#include <set>

#include "support/error_of.hpp"
#include "support/transfers.hpp"

namespace lq::engine {
namespace {

using testing::error_of;
using testing::TransferOf;

// 24^3x48 with links in double precision.
TransferOf gauge_on(const Extents& processes, bool writing = true) {
  return TransferOf({"", {24, 24, 24, 48}, processes, 576, 1200, writing});
}

TransferContext one_node(std::uint64_t ranks) {
  TransferContext context;
  context.ranks_per_node = ranks;
  context.can_share = context.can_pull = true;
  return context;
}

TransferContext many_nodes(std::uint64_t ranks_per_node) {
  TransferContext context = one_node(ranks_per_node);
  context.is_one_node = context.is_one_client = false;
  return context;
}

Choice choice(const TransferOf& made, const TransferContext& context, const RouteOptions& options = {}) {
  return choose(made.transfer(), context, options, Machine{});
}

RouteOptions forced(Strategy strategy) {
  RouteOptions options;
  options.strategy = strategy;
  return options;
}

TEST(Choose, MovesLongRowsDirectly) {
  EXPECT_EQ(choice(gauge_on({1, 1, 1, 1}), one_node(1)).strategy, Strategy::direct);
  EXPECT_EQ(choice(gauge_on({1, 1, 1, 2}), one_node(2)).strategy, Strategy::direct);
}

TEST(Choose, ExchangesShortRows) {
  EXPECT_EQ(choice(gauge_on({2, 1, 1, 1}), one_node(2)).strategy, Strategy::pull);
  EXPECT_EQ(choice(gauge_on({2, 1, 1, 1}, false), one_node(2)).strategy, Strategy::shared);
  EXPECT_EQ(choice(gauge_on({2, 2, 2, 1}), one_node(8)).strategy, Strategy::pull);
}

TEST(Choose, TakesWhatTheNodePermits) {
  TransferContext context = one_node(2);
  context.can_pull = false;
  EXPECT_EQ(choice(gauge_on({2, 1, 1, 1}), context).strategy, Strategy::shared);
  context = one_node(2);
  context.is_in_memory = false;
  EXPECT_EQ(choice(gauge_on({2, 1, 1, 1}), context).strategy, Strategy::shared);
  context.can_share = false;
  EXPECT_EQ(choice(gauge_on({2, 1, 1, 1}), context).strategy, Strategy::messages);
}

TEST(Choose, RefusesWhatIsNotPossible) {
  TransferContext context = one_node(2);
  context.can_pull = false;
  const TransferOf made = gauge_on({2, 1, 1, 1});
  const Error pull = error_of([&] { choice(made, context, forced(Strategy::pull)); });
  EXPECT_EQ(pull.code(), Code::unsupported);
  EXPECT_NE(std::string(pull.what()).find("use \"shared\""), std::string::npos) << pull.what();
  context.can_share = false;
  EXPECT_EQ(error_of([&] { choice(made, context, forced(Strategy::shared)); }).code(), Code::unsupported);
  EXPECT_EQ(choice(made, context, forced(Strategy::messages)).strategy, Strategy::messages);
  EXPECT_EQ(choice(made, context, forced(Strategy::direct)).strategy, Strategy::direct);
}

TEST(Choose, LetsNoTwoNodesWriteIntoOneBlockWhereThatLosesData) {
  TransferContext context = many_nodes(1);
  context.needs_single_owner = true;
  context.block_bytes = 65536;
  const TransferOf made = gauge_on({1, 1, 1, 2});
  const Choice taken = choice(made, context);
  EXPECT_NE(taken.strategy, Strategy::direct);
  EXPECT_EQ(taken.shares.domain_bytes % 65536, 0u);
  EXPECT_EQ(error_of([&] { choice(made, context, forced(Strategy::direct)); }).code(), Code::unsupported);
  // Readers do no harm, nor do the ranks of one node.
  EXPECT_EQ(choice(gauge_on({1, 1, 1, 2}, false), context).strategy, Strategy::direct);
  context.is_one_node = context.is_one_client = true;
  EXPECT_EQ(choice(made, context).strategy, Strategy::direct);
}

TEST(Choose, KnowsThatTwoMountsOnANodeAreTwoClients) {
  TransferContext context = one_node(2);
  context.is_known = true;
  context.needs_single_owner = true;
  context.is_one_client = false;
  context.block_bytes = 65536;
  for (const Extents& processes : {Extents{1, 1, 1, 2}, Extents{2, 1, 1, 1}}) {
    const Choice taken = choice(gauge_on(processes), context);
    EXPECT_NE(taken.strategy, Strategy::direct);
    EXPECT_EQ(taken.shares.domain_bytes % 65536, 0u);
    EXPECT_TRUE(taken.shares.root_owns_edges);
  }
  // Small fields, too.
  const TransferOf small({"", {4, 4, 4, 4}, {1, 1, 1, 2}, 576, 1200, true});
  EXPECT_NE(choice(small, context).strategy, Strategy::direct);
}

// Rows of 1152 bytes on a network file system where a call costs a millisecond: 64 of them by each of four ranks take
// 64 ms, one call of all bytes a few.
TEST(Choose, ExchangesSmallFieldsWhereCallsAreDear) {
  const TransferOf small({"", {4, 4, 8, 8}, {2, 2, 1, 1}, 576, 1200, true});
  TransferContext context = one_node(4);
  context.is_known = true;
  EXPECT_EQ(choose(small.transfer(), context, {}, Machine{}).strategy, Strategy::direct);
  Machine network;
  network.write_call = 1e-3;
  network.write_rate = 42e6;
  network.write_rate_total = 84e6;
  EXPECT_NE(choose(small.transfer(), context, {}, network).strategy, Strategy::direct);
  // Where nothing is known of the other ranks yet, they are to be asked.
  EXPECT_NE(choose(small.transfer(), {}, {}, network).strategy, Strategy::direct);
}

// What a call costs decides from which length on a row is worth one.
TEST(Choose, ExchangesRowsOfSixtyFourKibibytesWhereACallTakesLongerThanTheirBytes) {
  const TransferOf made({"", {16, 8, 16, 32}, {1, 1, 2, 1}, 576, 0, true});     // rows of 576 KiB
  const TransferOf shorter({"", {16, 8, 2, 256}, {1, 1, 2, 1}, 576, 0, true});  // of 72 KiB
  TransferContext context = one_node(2);
  context.is_known = true;
  Machine network;
  network.write_call = 3e-3;
  network.write_rate = 42e6;  // 123 KiB in the time of a call
  network.write_rate_total = 84e6;
  EXPECT_EQ(choose(shorter.transfer(), context, {}, Machine{}).strategy, Strategy::direct);
  EXPECT_NE(choose(shorter.transfer(), context, {}, network).strategy, Strategy::direct);
  EXPECT_EQ(choose(made.transfer(), context, {}, network).strategy, Strategy::direct);
}

TEST(Choose, SaysWhyNoStrategyIsPossible) {
  TransferContext context = many_nodes(1);
  context.needs_single_owner = true;
  context.block_bytes = 65536;
  RouteOptions options;
  options.memory_bytes = 8 * 576;
  const Error none = error_of([&] { choice(gauge_on({2, 2, 2, 1}), context, options); });
  EXPECT_EQ(none.code(), Code::unsupported);
  for (const char* part : {"one block of 65536 bytes", "4608 bytes of memory", "grant more"}) {
    EXPECT_NE(std::string(none.what()).find(part), std::string::npos) << part << " in " << none.what();
  }
  EXPECT_EQ(std::string(none.what()).find("take \"direct\""), std::string::npos) << none.what();
}

TEST(Choose, NoAlignmentLetsTwoOwnersIntoABlockThatNeedsOne) {
  TransferContext context = one_node(8);
  context.needs_single_owner = true;
  context.block_bytes = 65536;
  for (const auto alignment : std::to_array<std::uint64_t>({0, 1, 4096, 65536, 100'000, 3 << 20})) {
    for (const auto chunk : std::to_array<std::uint64_t>({0, 5000, 65536})) {
      RouteOptions options = forced(Strategy::shared);
      options.alignment = alignment;
      options.chunk_bytes = chunk;
      const Choice taken = choice(gauge_on({2, 2, 2, 1}), context, options);
      EXPECT_EQ(taken.shares.domain_bytes % 65536, 0u) << alignment;
      EXPECT_GE(taken.shares.domain_bytes, alignment);
      EXPECT_TRUE(taken.shares.root_owns_edges);
    }
  }
}

// By counting who owns a chunk of the file.
std::set<int> owners_of(const TransferOf& made, const Choice& taken) {
  const Shares shares(made.transfer(), taken.shares);
  std::set<int> owners;
  for (std::uint64_t chunk = shares.first_chunk(); chunk < shares.end_chunk(); ++chunk) {
    owners.insert(shares.chunk(chunk).owner);
  }
  return owners;
}

TEST(Choose, LetsAFewRanksForEachTargetWriteHoweverManyNodesThereAre) {
  const TransferOf made = gauge_on({4, 4, 2, 2});
  Machine slow;
  slow.write_rate = slow.write_rate_total = 100e6;
  for (const auto targets : std::to_array<std::uint64_t>({1, 2, 5})) {
    TransferContext context = many_nodes(4);
    context.targets = targets;
    const Choice taken = choose(made.transfer(), context, forced(Strategy::shared), slow);
    const std::set<int> owners = owners_of(made, taken);
    EXPECT_LE(owners.size(), 4 * targets);
    EXPECT_GE(owners.size(), 2 * targets);
  }
  // Not where it is they who would have to wait.
  TransferContext context = many_nodes(4);
  context.targets = 1;
  EXPECT_GT(owners_of(made, choice(made, context, forced(Strategy::shared))).size(), 4u);
  Machine fast;
  fast.write_rate_total = 60 * fast.write_rate;
  fast.servers = 4;
  EXPECT_EQ(writers_for_targets(4, 1000, fast), 120u);  // 15 keep a target busy
  EXPECT_EQ(writers_for_targets(4, 10, fast), 8u);
  EXPECT_EQ(writers_for_targets(4, 7, fast), 0u);
  EXPECT_EQ(writers_for_targets(0, 1000, fast), 0u);
}

TEST(Choose, RefusesSizesThatAreTooLargeToAdd) {
  for (const std::uint64_t alignment : {~std::uint64_t{0}, ~std::uint64_t{0} - 4095, (std::uint64_t{1} << 30) + 1}) {
    RouteOptions options = forced(Strategy::shared);
    options.alignment = alignment;
    EXPECT_EQ(error_of([&] { choice(gauge_on({2, 2, 2, 1}), one_node(8), options); }).code(), Code::invalid_argument);
  }
  // Four of these sites are 2^64 bytes.
  const TransferOf huge({"", {1, 1, 1, 1}, {1, 1, 1, 1}, std::uint64_t{1} << 62});
  EXPECT_FALSE(chunk_sizes(huge.transfer(), {}, one_node(2)));
}

TEST(Choose, TheModelLeavesLongRowsDirect) {
  TransferContext context = one_node(2);
  context.is_known = true;
  Machine machine;
  machine.write_call = 1e-4;  // each row, whose bytes take longer
  const Choice taken = choose(gauge_on({1, 1, 1, 2}).transfer(), context, {}, machine);
  EXPECT_EQ(taken.strategy, Strategy::direct);
  const TransferOf rows({"", {1024, 8, 8, 8}, {2, 1, 1, 1}, 576});
  EXPECT_EQ(choose(rows.transfer(), context, {}, machine).strategy, Strategy::direct);
}

TEST(Choose, DomainsAreMultiplesOfAlignmentAndChunk) {
  const TransferOf made = gauge_on({2, 2, 2, 1});
  for (const auto alignment :
       std::to_array<std::uint64_t>({1, 1000, 4096, 6000, 65536, 1 << 20, 4 << 20, 16 << 20, 3 * 4096 * 101})) {
    for (const auto chunk : std::to_array<std::uint64_t>({0, 5000, 65536, 300000, 1 << 20, 8 << 20})) {
      RouteOptions options = forced(Strategy::shared);
      options.alignment = alignment;
      options.chunk_bytes = chunk;
      const Choice taken = choice(made, one_node(8), options);
      EXPECT_EQ(taken.shares.domain_bytes % alignment, 0u) << alignment << " " << chunk;
      EXPECT_EQ(taken.shares.domain_bytes % taken.shares.chunk_bytes, 0u) << alignment << " " << chunk;
      EXPECT_GE(taken.shares.domain_bytes, 4096u);
      EXPECT_GE(taken.shares.chunk_bytes, 8u * 576);
      EXPECT_LE(taken.memory_bytes, usual_memory) << alignment << " " << chunk;
    }
  }
}

// Clients that fetch ahead do so for who reads on after what it read; each rank has some of the file all the same.
TEST(Choose, ReadsInLongDomainsWhereClientsFetchAhead) {
  constexpr std::uint64_t mib = 1 << 20;
  const auto shares = [](const Extents& processes, bool writing, bool in_order, const RouteOptions& options = {}) {
    TransferContext context = one_node(volume(processes));
    context.lies_on_servers = true;
    context.reads_in_order = in_order;
    return choice(gauge_on(processes, writing), context, options).shares;
  };
  const ShareOptions usual = shares({2, 2, 1, 1}, false, false);
  EXPECT_EQ(usual.domain_bytes, mib);
  const ShareOptions in_order = shares({2, 2, 1, 1}, false, true);
  EXPECT_EQ(in_order.domain_bytes, 8 * mib);
  EXPECT_EQ(in_order.chunk_bytes, mib);
  EXPECT_EQ(shares({4, 4, 4, 2}, false, true).domain_bytes, 2 * mib);  // 2.8 MiB for each rank
  EXPECT_EQ(shares({8, 8, 8, 2}, false, true).domain_bytes, mib);
  EXPECT_EQ(shares({2, 2, 1, 1}, true, true).domain_bytes, shares({2, 2, 1, 1}, true, false).domain_bytes);
  RouteOptions asked;
  asked.chunk_bytes = usual.chunk_bytes;
  EXPECT_EQ(shares({2, 2, 1, 1}, false, true, asked).domain_bytes,
            shares({2, 2, 1, 1}, false, false, asked).domain_bytes);
  for (const auto alignment : std::to_array<std::uint64_t>({1000, 65536, 3 * 4096 * 101, 16 * mib})) {
    RouteOptions aligned;
    aligned.alignment = alignment;
    const ShareOptions taken = shares({2, 2, 1, 1}, false, true, aligned);
    EXPECT_EQ(taken.domain_bytes % alignment, 0U) << alignment;
    EXPECT_EQ(taken.domain_bytes % taken.chunk_bytes, 0U) << alignment;
  }
}

// A call waits for a server: half as many. What is read stays in the cache, and so does what memory has no room for.
TEST(Choose, WritesToServersInLargerChunks) {
  TransferContext context = one_node(4);
  const auto chunk = [&](bool writing, const RouteOptions& options) {
    return choice(gauge_on({2, 2, 1, 1}, writing), context, options).shares.chunk_bytes;
  };
  const std::uint64_t usual = chunk(true, {});
  context.lies_on_servers = true;
  RouteOptions asked, little;
  asked.chunk_bytes = usual;
  little.memory_bytes = 6 << 20;
  EXPECT_EQ(usual, 512U * 1024);
  EXPECT_EQ(chunk(true, {}), 1024U * 1024);
  EXPECT_EQ(chunk(false, {}), usual);
  EXPECT_EQ(chunk(true, asked), usual);
  EXPECT_LT(chunk(true, little), 1024U * 1024);
  EXPECT_LE(choice(gauge_on({2, 2, 1, 1}), context, little).memory_bytes, little.memory_bytes);
}

// Servers with large blocks are fast with calls of some MiB, in both directions; there is memory for them. Who moves
// little moves it in smaller calls, so that others have some, too.
TEST(Choose, TakesCallsThatServersAreFastWith) {
  constexpr std::uint64_t mib = 1 << 20;
  TransferContext context = one_node(4);
  context.lies_on_servers = true;
  context.block_bytes = mib;
  context.call_bytes = 4 * mib;
  const Extents large{64, 64, 64, 64};
  for (const bool writing : {true, false}) {
    const TransferOf made({"", large, {2, 2, 1, 1}, 576, 1200, writing});
    const auto taken = [&](const RouteOptions& options) { return choice(made, context, options); };
    const Choice usual = taken(forced(Strategy::shared));
    EXPECT_EQ(usual.shares.chunk_bytes, 4 * mib);
    EXPECT_EQ(usual.shares.domain_bytes, 4 * mib);
    EXPECT_LE(usual.memory_bytes, 64 * mib);
    EXPECT_EQ(usual.chunk_reason, "the call size with which the servers of this file system are fast");
    EXPECT_EQ(taken(forced(Strategy::direct)).block_bytes, 4 * mib);
    RouteOptions asked = forced(Strategy::shared);
    asked.chunk_bytes = 2 * mib;
    EXPECT_EQ(taken(asked).shares.chunk_bytes, 2 * mib);
    EXPECT_EQ(taken(asked).chunk_reason, "requested");
    asked.chunk_bytes = 8 * mib;
    asked.memory_bytes = 16 * mib;
    EXPECT_EQ(taken(asked).shares.chunk_bytes, mib);
    EXPECT_EQ(taken(asked).chunk_reason,
              "smaller than the requested 8 MiB: 10 chunks must fit into the 16 MiB of `memory_bytes`");
    asked.chunk_bytes = 0;
    EXPECT_EQ(taken(asked).chunk_reason,
              "smaller than the 4 MiB with which the servers of this file system are fast: `memory_bytes` is 16 MiB");
    context.call_bytes = 0;
    EXPECT_LE(taken(forced(Strategy::shared)).shares.chunk_bytes, mib);
    EXPECT_LE(taken(forced(Strategy::shared)).memory_bytes, usual_memory);
    context.call_bytes = 4 * mib;
  }
  const TransferOf small({"", {16, 16, 16, 32}, {2, 2, 2, 4}, 576, 1200, false});  // 2.3 MiB of each rank
  const Choice little = choice(small, context, forced(Strategy::shared));
  EXPECT_EQ(little.shares.chunk_bytes, 2 * mib);
  EXPECT_EQ(little.chunk_reason,
            "smaller than the 4 MiB with which the servers of this file system are fast: each rank moves little");
}

TEST(Choose, LetsSitesBePackedWhileServersAreWaitedFor) {
  TransferContext context = one_node(4);
  EXPECT_EQ(choice(gauge_on({2, 2, 1, 1}), context).strategy, Strategy::pull);
  context.lies_on_servers = true;
  EXPECT_EQ(choice(gauge_on({2, 2, 1, 1}), context).strategy, Strategy::shared);
  context.can_share = false;
  EXPECT_EQ(choice(gauge_on({2, 2, 1, 1}), context).strategy, Strategy::messages);
}

TEST(Choose, LetsOneRankWriteWhereTheOthersWouldWaitForIt) {
  const auto writers = [](const TransferContext& context, const RouteOptions& options, bool writing = true) {
    const TransferOf made = gauge_on({2, 2, 1, 1}, writing);
    const Shares shares(made.transfer(), choice(made, context, options).shares);
    std::uint64_t count = 0;
    for (int rank = 0; rank < 4; ++rank) count += shares.next_owned(rank, 0).has_value() ? 1 : 0;
    return count;
  };
  TransferContext context = one_node(4);
  context.lies_on_servers = true;
  EXPECT_EQ(writers(context, {}), 4U);
  context.client_writes = storage::ClientWrites::in_turn;
  EXPECT_EQ(writers(context, {}), 1U);
  EXPECT_EQ(writers(context, {}, false), 4U);
  RouteOptions asked;
  asked.aggregators = 2;
  EXPECT_EQ(writers(context, asked), 2U);
  context.is_one_client = false;
  EXPECT_EQ(writers(context, {}), 4U);
}

TEST(Choose, LetsOneRankWriteLongRowsWhereThatIsFaster) {
  TransferContext context = one_node(4);
  context.lies_on_servers = true;
  context.client_writes = storage::ClientWrites::in_turn;
  const TransferOf made = gauge_on({1, 1, 1, 4});
  EXPECT_EQ(choice(made, context).strategy, Strategy::direct);
  context.client_writes = storage::ClientWrites::best_by_one;
  const Choice taken = choice(made, context);
  EXPECT_EQ(taken.strategy, Strategy::shared);
  EXPECT_EQ(taken.shares.owners, 1U);
  EXPECT_NE(taken.reason.find("one alone is faster"), std::string::npos) << taken.reason;
  EXPECT_EQ(choice(gauge_on({1, 1, 1, 4}, false), context).strategy, Strategy::direct);
  RouteOptions asked;
  asked.aggregators = 4;
  EXPECT_EQ(choice(made, context, asked).strategy, Strategy::direct);
  context.is_one_client = false;
  EXPECT_EQ(choice(made, context).strategy, Strategy::direct);
}

TEST(Choose, StaysWithinTheMemoryGranted) {
  const TransferOf made = gauge_on({2, 2, 2, 1});
  for (const auto memory : std::to_array<std::uint64_t>({150'000, 400'000, 1'000'000, 4'000'000})) {
    RouteOptions options = forced(Strategy::messages);
    options.memory_bytes = memory;
    const Choice taken = choice(made, one_node(8), options);
    // Ten buffers, each with room for a site at either end, rounded up to pages.
    const std::uint64_t buffer = (taken.shares.chunk_bytes + 2 * 576 + 4095) / 4096 * 4096;
    EXPECT_LE(10 * buffer, taken.memory_bytes);
    EXPECT_LE(taken.memory_bytes, memory);
  }
  RouteOptions options;
  options.memory_bytes = 8 * 576;
  EXPECT_EQ(choice(made, one_node(8), options).strategy, Strategy::direct);
  options.strategy = Strategy::messages;
  EXPECT_EQ(error_of([&] { choice(made, one_node(8), options); }).code(), Code::unsupported);
}

TEST(Choose, SharesNoMoreDimensionsThanLongPiecesNeed) {
  RouteOptions options = forced(Strategy::messages);
  // Twelve planes of x and y are 4 MB; 32 rows of x in the large lattice 1.2 MB.
  EXPECT_EQ(choice(gauge_on({2, 2, 2, 2}), one_node(16), options).shares.shared_dimensions, 2);
  const TransferOf large({"", {64, 64, 64, 64}, {2, 2, 2, 2}, 576});
  EXPECT_EQ(choice(large, one_node(16), options).shares.shared_dimensions, 1);
}

TEST(Choose, TouchesTheFileWithNoMoreRanksThanAskedFor) {
  const TransferOf made = gauge_on({2, 2, 2, 2});
  for (const auto aggregators : std::to_array<std::uint64_t>({1, 2, 3, 4, 8, 15})) {
    RouteOptions options;
    options.aggregators = aggregators;
    const Choice taken = choice(made, one_node(16), options);
    ASSERT_NE(taken.strategy, Strategy::direct);
    const Shares shares(made.transfer(), taken.shares);
    std::uint64_t writers = 0;
    for (int rank = 0; rank < made.ranks(); ++rank) writers += shares.next_owned(rank, 0) ? 1 : 0;
    EXPECT_LE(writers, aggregators);
    EXPECT_GE(2 * writers, aggregators);
  }
}

TEST(Choose, DoesNotExchangeLittle) {
  const TransferOf small({"", {4, 4, 4, 4}, {2, 2, 1, 1}, 576});
  EXPECT_EQ(choice(small, one_node(4)).strategy, Strategy::direct);
}

TEST(Choose, PullsOnlyWhereAllOfAGroupIsOnOneNode) {
  EXPECT_EQ(choice(gauge_on({2, 2, 2, 2}), many_nodes(8)).strategy, Strategy::pull);
  EXPECT_EQ(choice(gauge_on({2, 2, 2, 2}), many_nodes(2)).strategy, Strategy::shared);
}

}  // namespace
}  // namespace lq::engine
