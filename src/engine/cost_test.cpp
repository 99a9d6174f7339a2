// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cost model: its closed forms against walks over all ranks, its times against sums made by hand.
#include "engine/cost.hpp"

#include <gtest/gtest.h>

#include "support/transfers.hpp"

namespace lq::engine {
namespace {

using testing::TransferOf;

constexpr std::uint64_t every_chunk = ~std::uint64_t{0};

struct Setting {
  const char* name;
  Extents lattice, processes;
  std::uint64_t site_bytes, ranks_per_node;
  ShareOptions shares;
};

std::ostream& operator<<(std::ostream& out, const Setting& s) { return out << s.name; }

class CostOf : public ::testing::TestWithParam<Setting> {
 protected:
  TransferOf made_{{"", GetParam().lattice, GetParam().processes, GetParam().site_bytes, 1234}};
  Geometry geometry_{made_.transfer()};
  Choice choice_{Strategy::messages, GetParam().shares, 0, ""};

  TransferContext context() const {
    TransferContext context;
    context.ranks_per_node = GetParam().ranks_per_node;
    context.is_one_node = static_cast<std::uint64_t>(made_.ranks()) <= context.ranks_per_node;
    return context;
  }
};

TEST_P(CostOf, ExpectedChunksAreThoseHeldOnAverage) {
  const Shares shares(made_.transfer(), choice_.shares);
  double held = 0;
  for (int rank = 0; rank < made_.ranks(); ++rank) {
    const Box mine = made_.transfer().box_of(rank);
    for (auto c = shares.next_held(mine, 0); c; c = shares.next_held(mine, c->number + 1)) held += 1;
  }
  held /= made_.ranks();
  const double expected = expected_chunks(made_.transfer(), geometry_, choice_.shares.chunk_bytes);
  EXPECT_NEAR(expected, held, 0.2 * held);
}

TEST_P(CostOf, ExpectedWorkIsThatOfTheBusiestRank) {
  const Work work = expected_work(made_.transfer(), geometry_, choice_, context());
  Counts most;
  double writers = 0;
  for (int rank = 0; rank < made_.ranks(); ++rank) {
    const Counts one = count_work(made_.transfer(), choice_, rank, every_chunk);
    most.stored = std::max(most.stored, one.stored);
    most.bytes_exchanged = std::max(most.bytes_exchanged, one.bytes_exchanged);
    most.messages = std::max({most.messages, one.messages, one.arrivals});
    writers += one.stored > 0 ? 1 : 0;
  }
  const auto domain = static_cast<double>(choice_.shares.domain_bytes);
  EXPECT_NEAR(work.stored, static_cast<double>(most.stored), 2 * domain);
  EXPECT_NEAR(work.writers, writers, 0.1 * writers);
  const double moved = work.near_bytes + work.far_bytes;
  EXPECT_GE(moved + domain, 0.8 * static_cast<double>(most.bytes_exchanged));
  EXPECT_LE(moved, 1.2 * static_cast<double>(std::max(most.bytes_exchanged, most.stored)));
  const double messages = work.near_messages + work.far_messages;
  EXPECT_GE(messages + 1, 0.6 * static_cast<double>(most.messages));
  EXPECT_LE(messages, 1.7 * static_cast<double>(most.messages));
}

TEST_P(CostOf, NothingLeavesTheNodeWhereThereIsOne) {
  TransferContext one_node = context();
  one_node.is_one_node = true;
  one_node.ranks_per_node = static_cast<std::uint64_t>(made_.ranks());
  const Work work = expected_work(made_.transfer(), geometry_, choice_, one_node);
  EXPECT_GT(work.near_bytes, 0);
  EXPECT_NEAR(work.far_bytes, 0, 1e-6 * work.near_bytes);
}

// Shares of 64 KiB chunks and domains of 128 KiB.
const Setting settings[] = {
    {"x split", {32, 16, 16, 16}, {2, 1, 1, 1}, 96, 2, {1, 0, 131072, 65536}},
    {"xyz split", {32, 16, 16, 16}, {2, 2, 2, 1}, 96, 8, {3, 0, 131072, 65536}},
    {"all split over nodes", {32, 16, 16, 32}, {4, 2, 2, 2}, 96, 4, {2, 0, 131072, 65536}},
    {"two owners of each group", {32, 16, 16, 32}, {4, 2, 2, 2}, 96, 32, {3, 2, 131072, 65536}},
    {"large rows", {64, 16, 16, 16}, {2, 2, 1, 2}, 576, 4, {2, 0, 131072, 65536}},
    {"t split alone", {16, 16, 16, 32}, {1, 1, 1, 4}, 576, 4, {0, 0, 131072, 65536}},
};
INSTANTIATE_TEST_SUITE_P(Settings, CostOf, ::testing::ValuesIn(settings));

// Numbers that are easy to multiply; nothing but what a test sets takes time.
Machine plain_machine() {
  Machine machine;
  machine.cores_per_node = 1000;
  machine.copy_rate = machine.pack_rate = machine.copy_rate_node = 1e15;
  machine.shared_rate = machine.pull_rate = machine.message_rate = machine.link_rate = 1e15;
  machine.handover_time = machine.latency = 0;
  machine.write_rate = machine.write_rate_total = machine.read_rate = machine.read_rate_total = 1e15;
  machine.write_call = machine.read_call = 0;
  return machine;
}

struct Predicted {
  TransferOf made;
  TransferContext context = {};
  Choice choice = {};
  Prediction operator()(const Machine& machine) const {
    const Geometry geometry(made.transfer());
    const Work work = expected_work(made.transfer(), geometry, choice, context);
    return predict(work, made.transfer(), geometry, choice.strategy, context, machine);
  }
};

// 8x16x16x16 sites of 576 bytes, divided along x: 4096 rows of 2304 bytes for each of two ranks.
Predicted x_split(Strategy strategy, std::uint64_t ranks_per_node = 2) {
  Predicted predicted{TransferOf({"", {8, 16, 16, 16}, {2, 1, 1, 1}, 576})};
  predicted.context.ranks_per_node = ranks_per_node;
  predicted.context.is_one_node = ranks_per_node > 1;
  predicted.choice.strategy = strategy;
  predicted.choice.shares = {1, 0, 1 << 17, 1 << 16};
  return predicted;
}
constexpr double half = 4096 * 2304.0;  // bytes of a rank

TEST(Cost, OfDirectRowsIsBytesAndCalls) {
  Machine machine = plain_machine();
  machine.write_rate = 1e9;
  // The begin of each row lies in a page that the other rank writes, too: it costs once more.
  const double sharing = 4096 * 4096 / 1e9;
  EXPECT_NEAR(x_split(Strategy::direct)(machine).total, half / 1e9 + sharing, 1e-7);
  machine.write_call = 1e-6;
  EXPECT_NEAR(x_split(Strategy::direct)(machine).total, half / 1e9 + sharing + 2 * 4096 * 1e-6, 1e-7);
  // Calls are the ranks' own, whatever the file system takes of the bytes.
  machine.write_rate_total = 1e9;
  EXPECT_NEAR(x_split(Strategy::direct)(machine).total, 2 * half / 1e9 + sharing + 2 * 4096 * 1e-6, 1e-7);
}

TEST(Cost, OfAnExchangeIsWhatOthersHold) {
  Machine machine = plain_machine();
  machine.write_rate = 1e9;
  machine.shared_rate = machine.pull_rate = 2e9;
  const double storing = half / 1e9;
  EXPECT_NEAR(x_split(Strategy::shared)(machine).total, storing + half / 2 / 2e9, 1e-6);
  EXPECT_NEAR(x_split(Strategy::pull)(machine).total, storing + half / 2 / 2e9, 1e-6);
  // Copied in and out.
  EXPECT_NEAR(x_split(Strategy::messages)(machine).total, storing + half / 2e9, 1e-6);
  machine.message_rate = 4e9;
  EXPECT_NEAR(x_split(Strategy::messages, 1)(machine).total, storing + half / 2 / 4e9, 1e-6);
}

TEST(Cost, IsNeverLessThanWhatTheFileSystemTakes) {
  Machine machine = plain_machine();
  machine.write_rate_total = 1e8;
  for (const Strategy strategy : {Strategy::direct, Strategy::shared, Strategy::pull, Strategy::messages}) {
    EXPECT_GE(x_split(strategy)(machine).total, 2 * half / 1e8 - 1e-3);
    EXPECT_GE(x_split(strategy, 1)(machine).total, 2 * half / 1e8);
  }
}

TEST(Cost, CountsLinksOfNodes) {
  Machine machine = plain_machine();
  machine.link_rate = 1e9;
  // Half of its bytes to the other node, all that it owns to the servers.
  EXPECT_NEAR(x_split(Strategy::messages, 1)(machine).total, (half / 2 + half) / 1e9, 1e-6);
  EXPECT_NEAR(x_split(Strategy::direct, 1)(machine).total, half / 1e9, 1e-6);
}

TEST(Cost, RanksTakeTurnsOnACore) {
  Machine machine = plain_machine();
  machine.pack_rate = 1e9;
  machine.copy_rate = 1e15;
  const double alone = x_split(Strategy::shared)(machine).pack;
  machine.cores_per_node = 1;
  EXPECT_NEAR(x_split(Strategy::shared)(machine).pack, 2 * alone, 1e-8);
}

TEST(Cost, OfDomainsThatShareBlocksIsHigher) {
  Machine machine = plain_machine();
  machine.write_rate = 1e9;
  machine.latency = 1e-5;
  Predicted aligned = x_split(Strategy::messages, 1);
  aligned.context.block_bytes = 1 << 17;
  Predicted sharing = x_split(Strategy::messages, 1);
  sharing.context.block_bytes = 1 << 20;
  EXPECT_GT(sharing(machine).total, 1.5 * aligned(machine).total);
}

TEST(Cost, OfRowsThatShareBlocksBetweenNodesIsThatOfTheirBlocks) {
  Machine machine = plain_machine();
  machine.write_rate_total = 1e9;
  Predicted rows = x_split(Strategy::direct, 1);
  rows.context.block_bytes = 1 << 16;
  // Each of 2 x 4096 rows makes one block move once more.
  EXPECT_NEAR(rows(machine).total, (2 * half + 2 * 4096 * 65536.0) / 1e9, 1e-6);
  // Readers disturb nobody.
  Predicted reading{TransferOf({"", {8, 16, 16, 16}, {2, 1, 1, 1}, 576, 0, false})};
  reading.context = rows.context;
  machine.read_rate_total = 1e9;
  EXPECT_NEAR(reading(machine).total, 2 * half / 1e9, 1e-6);
}

TEST(Cost, OfAMillionRanksIsThatOfOneNode) {
  // The same local lattice and file system per rank: what a rank does must not depend on how many there are.
  Prediction few, many;
  Machine machine;
  machine.cores_per_node = 64;
  for (Prediction* prediction : {&few, &many}) {
    const bool is_large = prediction == &many;
    const Extents grid = is_large ? Extents{8, 8, 128, 128} : Extents{8, 8, 8, 8};
    Extents lattice = grid;
    for (int d = 0; d < 4; ++d) lattice[d] *= 8;
    Predicted predicted{TransferOf({"", lattice, grid, 576})};
    predicted.context.ranks_per_node = 64;
    predicted.context.is_one_node = false;
    predicted.choice = {Strategy::messages, {2, 0, 1 << 20, 1 << 19}, 0, ""};
    machine.write_rate_total = is_large ? 256e9 : 1e9;
    *prediction = predicted(machine);
  }
  EXPECT_NEAR(many.pack, few.pack, 1e-8);
  EXPECT_NEAR(many.exchange, few.exchange, 0.01 * few.exchange);
  EXPECT_NEAR(many.total, few.total, 0.01 * few.total);
}

}  // namespace
}  // namespace lq::engine
