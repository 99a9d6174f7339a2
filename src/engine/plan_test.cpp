// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/plan.hpp>

#include <algorithm>
#include <cstdio>

#include "lattice/decomposition.hpp"
#include "lattice/site_order.hpp"
#include "support/error_of.hpp"

namespace lq {
namespace {

using testing::error_of;

Machine cluster(std::uint64_t nodes, std::uint64_t ranks_per_node) {
  Machine machine;
  machine.name = "cluster";
  machine.nodes = nodes;
  machine.ranks_per_node = machine.cores_per_node = ranks_per_node;
  machine.copy_rate_node = 200e9;
  machine.file_system = "lustre";
  machine.block_bytes = 1 << 20;
  machine.servers = 32;
  machine.write_rate = 1e9;
  machine.write_rate_total = 200e9;
  machine.read_rate_total = 200e9;
  machine.write_call = 100e-6;
  return machine;
}

PlanRequest request_of(const Extents& lattice, const Extents& processes, Strategy strategy = Strategy::automatic) {
  PlanRequest request;
  request.lattice = lattice;
  request.processes = processes;
  request.spec = gauge_spec(Precision::double_);
  request.payload_offset = 1200;
  request.route.strategy = strategy;
  return request;
}

void expect_no_gap(const std::vector<Extent>& extents, std::uint64_t begin, std::uint64_t bytes) {
  std::uint64_t at = begin;
  for (const Extent& extent : extents) {
    EXPECT_EQ(extent.offset, at);
    EXPECT_GT(extent.bytes, 0u);
    at += extent.bytes;
  }
  EXPECT_EQ(at, begin + bytes);
}

TEST(Plan, ExtentsCoverThePayloadOnce) {
  for (const Strategy strategy : {Strategy::direct, Strategy::shared, Strategy::messages}) {
    for (const bool writing : {true, false}) {
      PlanRequest request = request_of({16, 12, 8, 16}, {2, 3, 1, 2}, strategy);
      request.writing = writing;
      const TransferPlan plan = plan_transfer(request, cluster(3, 4));
      expect_no_gap(extents_of(plan, 1'000'000), 1200, plan.bytes);
      EXPECT_EQ(extents_of(plan, 3).size(), 3u);
      EXPECT_TRUE(extents_of(plan, 0).empty());
    }
  }
}

TEST(Plan, DirectExtentsBelongToTheHoldersOfTheirSites) {
  const PlanRequest request = request_of({8, 6, 4, 6}, {2, 3, 1, 2}, Strategy::direct);
  const lattice::Decomposition dealt(request.lattice, request.processes);
  for (const Extent& extent : extents_of(plan_transfer(request), 1'000'000)) {
    for (std::uint64_t byte = extent.offset; byte < extent.offset + extent.bytes; byte += 576) {
      const Coord x = lattice::site_at((byte - 1200) / 576, whole(request.lattice), {0, 1, 2, 3});
      EXPECT_EQ(dealt.owner(x), extent.rank);
    }
  }
}

TEST(Plan, DomainsOfAnExchangeBeginAtTheAlignment) {
  const TransferPlan plan =
      plan_transfer(request_of({16, 16, 16, 32}, {2, 2, 1, 2}, Strategy::messages), cluster(2, 4));
  EXPECT_EQ(plan.alignment, 1u << 20);
  const std::vector<Extent> extents = extents_of(plan, 1000);
  for (std::size_t i = 1; i < extents.size(); ++i) EXPECT_EQ(extents[i].offset % plan.alignment, 0u);
}

TEST(Plan, ConsidersAllStrategiesAndChoosesOneOfThem) {
  const TransferPlan plan = plan_transfer(request_of({24, 24, 24, 48}, {2, 1, 1, 1}));
  ASSERT_EQ(plan.considered.size(), 4u);
  EXPECT_EQ(plan.row_bytes, 12u * 576);
  EXPECT_EQ(plan.bytes, 24u * 24 * 24 * 48 * 576);
  EXPECT_FALSE(plan.chosen.reason.empty());
  double least = 1e9;
  for (const StrategyPlan& one : plan.considered) {
    EXPECT_TRUE(one.possible) << one.reason;
    EXPECT_GT(one.seconds.total, 0);
    EXPECT_LE(one.memory_bytes, 16u << 20);
    least = std::min(least, one.seconds.total);
  }
  EXPECT_LE(plan.chosen.seconds.total, 1.4 * least);
}

// Where the prediction decides, it decides for the fastest; pull reads as shared does.
TEST(Plan, ThatFollowsThePredictionTakesTheFastest) {
  int followed = 0;
  for (const std::uint64_t nodes : {1U, 3U, 16U}) {
    for (const std::uint64_t ranks : {2U, 8U, 48U}) {
      for (const double call : {1e-6, 1e-4, 1e-2}) {
        for (const bool writing : {true, false}) {
          Machine machine = cluster(nodes, ranks);
          machine.write_call = machine.read_call = call;
          PlanRequest request = request_of({48, 24, 24, 48}, {4, 2, 1, 1});
          request.processes = Extents{static_cast<std::int64_t>(ranks / 2 * 2), 1, 1, static_cast<std::int64_t>(nodes)};
          request.writing = writing;
          const TransferPlan plan = plan_transfer(request, machine);
          if (plan.chosen.reason.find("predicted to take") == std::string::npos) continue;
          ++followed;
          // By a clear gain only: predictions err by less than a quarter.
          double predicted = 0, usual = 0;
          const std::size_t at = plan.chosen.reason.find("predicted to take");
          ASSERT_EQ(std::sscanf(plan.chosen.reason.c_str() + at, "predicted to take %lf s instead of %lf s", &predicted,
                                &usual),
                    2)
              << plan.chosen.reason;
          EXPECT_LT(predicted, 0.76 * usual) << plan.chosen.reason;
          for (const StrategyPlan& one : plan.considered) {
            if (!one.possible || (one.strategy == Strategy::pull && !writing)) continue;
            EXPECT_GE(one.seconds.total, plan.chosen.seconds.total) << nodes << " " << ranks << " " << call;
          }
        }
      }
    }
  }
  EXPECT_GT(followed, 0);
}

TEST(Plan, SaysWhyAStrategyIsNotPossible) {
  Machine machine;
  machine.pull_permitted = false;
  const TransferPlan plan = plan_transfer(request_of({24, 24, 24, 48}, {2, 1, 1, 1}), machine);
  const auto pull = std::ranges::find(plan.considered, Strategy::pull, &StrategyPlan::strategy);
  EXPECT_FALSE(pull->possible);
  EXPECT_NE(pull->reason.find("lq doctor"), std::string::npos) << pull->reason;
  const Error error = error_of([&] {
    plan_transfer(request_of({24, 24, 24, 48}, {2, 1, 1, 1}, Strategy::pull), machine);
  });
  EXPECT_EQ(error.code(), Code::unsupported);
}

// Were there a loop over ranks somewhere, this would not end.
TEST(Plan, OfAMillionRanksIsMadeLikeThatOfAFew) {
  const auto on_gpfs = [](Machine machine) {
    machine.file_system = "gpfs";  // where no number of targets bounds that of writers
    return machine;
  };
  const TransferPlan few = plan_transfer(request_of({256, 256, 64, 64}, {16, 16, 4, 4}), on_gpfs(cluster(64, 64)));
  const TransferPlan many =
      plan_transfer(request_of({256, 256, 1024, 1024}, {16, 16, 64, 64}), on_gpfs(cluster(16384, 64)));
  EXPECT_EQ(many.ranks, 1u << 20);
  EXPECT_EQ(many.nodes, 1u << 14);
  // What one rank does and holds is the same.
  EXPECT_EQ(many.chosen.strategy, few.chosen.strategy);
  EXPECT_EQ(many.chosen.memory_bytes, few.chosen.memory_bytes);
  EXPECT_NEAR(static_cast<double>(many.chosen.messages), static_cast<double>(few.chosen.messages),
              0.1 * static_cast<double>(few.chosen.messages));
  EXPECT_EQ(extents_of(many, 10).size(), 10u);
}

TEST(Plan, OfALargeLatticeFitsTheMachine) {
  const TransferPlan plan = plan_transfer(request_of({256, 256, 256, 512}, {16, 16, 16, 25}), cluster(1600, 64));
  EXPECT_EQ(plan.ranks, 102400u);
  EXPECT_EQ(plan.nodes, 1600u);
  EXPECT_NE(plan.chosen.strategy, Strategy::direct);
  EXPECT_EQ(plan.chosen.chunk_bytes, 4u << 20);  // Lustre
  EXPECT_LE(plan.chosen.memory_bytes, 64u << 20);
  // 4.9 TB at 200 GB/s.
  EXPECT_GE(plan.chosen.seconds.total, 24.7);
  EXPECT_LE(plan.chosen.seconds.total, 60);
}

// 75 MB: one stripe; 4.9 TB: all servers.
TEST(Plan, TellsTheStripesOfTheFile) {
  const TransferPlan small = plan_transfer(request_of({16, 16, 16, 32}, {2, 2, 2, 2}), cluster(4, 4));
  EXPECT_EQ(small.stripes.count, 1u);
  EXPECT_EQ(small.alignment, 1u << 20);
  const TransferPlan large = plan_transfer(request_of({256, 256, 256, 512}, {16, 16, 16, 25}), cluster(1600, 64));
  EXPECT_EQ(large.stripes.reason, StripeReason::by_size);
  EXPECT_EQ(large.stripes.count, 32u);
  EXPECT_EQ(large.alignment, 4u << 20);
  // Twice the seven ranks that take 6.25 GB/s, for each, or four times as many, of 102400.
  EXPECT_LE(large.chosen.writers, 32u * 14 * 16);
  EXPECT_GE(large.chosen.writers, 32u * 14);
  PlanRequest reading = request_of({16, 16, 16, 32}, {2, 2, 2, 2});
  reading.writing = false;
  EXPECT_EQ(plan_transfer(reading, cluster(4, 4)).stripes.reason, StripeReason::no_stripes);
}

TEST(Plan, RefusesMoreRanksThanTheNodesHaveCoresFor) {
  const PlanRequest request = request_of({16, 16, 16, 16}, {2, 2, 2, 2});
  const Error error = error_of([&] { plan_transfer(request, cluster(2, 4)); });
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_NE(std::string(error.what()).find("16 ranks, but cluster has 2 nodes of 4 cores"), std::string::npos);
  // Ranks that do not fit on few nodes by their usual number may be closer together.
  Machine machine = cluster(2, 4);
  machine.cores_per_node = 8;
  EXPECT_EQ(plan_transfer(request, machine).ranks_per_node, 8u);
  // One node is a laptop: it takes them all.
  EXPECT_EQ(plan_transfer(request, Machine{}).ranks_per_node, 16u);
}

TEST(Plan, TotalsContainOpeningAndSync) {
  Machine machine = cluster(16, 4);
  machine.latency = 0;
  machine.open_time = 2;
  machine.sync_time = 3;
  PlanRequest request = request_of({16, 16, 16, 16}, {2, 2, 2, 2});
  for (const bool writing : {true, false}) {
    request.writing = writing;
    machine.open_time = machine.sync_time = 0;
    const TransferPlan without = plan_transfer(request, machine);
    machine.open_time = 2;
    machine.sync_time = 3;
    const TransferPlan with = plan_transfer(request, machine);
    const double more = writing ? 5 : 2;
    EXPECT_DOUBLE_EQ(with.chosen.seconds.total, without.chosen.seconds.total + more);
    EXPECT_DOUBLE_EQ(with.one_rank.total, without.one_rank.total + more);
  }
}

// Small local lattices: the rate no longer grows with the machine, because what is done once takes its time.
TEST(Plan, SaturatesWhereLocalLatticesGetSmall) {
  Machine machine = cluster(4096, 4);
  machine.sync_time = 0.1;
  machine.write_rate_total = 1e15;
  const auto rate = [&](const Extents& processes) {
    const TransferPlan plan = plan_transfer(request_of({32, 32, 32, 64}, processes), machine);
    return static_cast<double>(plan.bytes) / plan.chosen.seconds.total;
  };
  EXPECT_GT(rate({1, 1, 1, 4}), 1.5 * rate({1, 1, 1, 1}));
  EXPECT_LT(rate({8, 8, 8, 8}), 1.2 * rate({2, 2, 4, 16}));
}

TEST(Plan, OfAFileWithFewStripesIsBoundByThem) {
  Machine machine = cluster(1024, 4);
  machine.write_rate_total = 32e9;  // of 32 servers
  PlanRequest request = request_of({128, 128, 128, 128}, {8, 8, 8, 8});
  for (const std::uint64_t count : {1U, 4U, 32U}) {
    request.stripe_count = count;
    const TransferPlan plan = plan_transfer(request, machine);
    EXPECT_EQ(plan.stripes.count, count);
    const double least = static_cast<double>(plan.bytes) / (1e9 * static_cast<double>(count));
    EXPECT_GE(plan.chosen.seconds.total, least);
    EXPECT_LT(plan.chosen.seconds.total, 1.5 * least) << count;
  }
}

TEST(Plan, TellsWhatOneRankWouldTake) {
  Machine machine = cluster(4, 4);
  machine.pack_rate = 1e8;
  machine.message_rate = 2e8;
  machine.write_rate = 4e8;
  machine.write_call = 0;
  machine.open_time = machine.sync_time = machine.latency = 0;
  const TransferPlan plan = plan_transfer(request_of({16, 16, 16, 16}, {2, 2, 2, 2}), machine);
  const double bytes = 16.0 * 16 * 16 * 16 * 576;
  EXPECT_DOUBLE_EQ(plan.one_rank.total, bytes * (1 / 1e8 + 15.0 / 16 / 2e8 + 1 / 4e8));
}

TEST(Plan, RefusesImpossibleRequests) {
  const auto code = [](const PlanRequest& request) {
    return error_of([&] { plan_transfer(request, Machine{}); }).code();
  };
  EXPECT_EQ(code(request_of({4, 4, 4}, {2, 2, 2, 2})), Code::invalid_argument);
  EXPECT_EQ(code(request_of({4, 4, 4, 0}, {2, 2, 2, 2})), Code::invalid_argument);
  EXPECT_EQ(code(request_of({4, 4, 4, 4}, {2, 2, -2, 2})), Code::invalid_argument);
  EXPECT_EQ(code(request_of({}, {})), Code::invalid_argument);
  EXPECT_EQ(code(request_of({1 << 20, 1 << 20, 1 << 20, 4}, {2, 2, 2, 2})), Code::too_large);
  PlanRequest nothing = request_of({4, 4, 4, 4}, {2, 2, 2, 2});
  nothing.spec = {};
  EXPECT_EQ(code(nothing), Code::invalid_argument);
}

TEST(Plan, OfOneDomainAtATimeKeepsNodesApartOnNetworkFileSystems) {
  Machine machine = cluster(2, 1);
  machine.file_system = "nfs";
  machine.block_bytes = 65536;
  const TransferPlan plan = plan_transfer(request_of({16, 16, 16, 32}, {1, 1, 1, 2}), machine);
  EXPECT_NE(plan.chosen.strategy, Strategy::direct);
  EXPECT_EQ(plan.chosen.domain_bytes % 65536, 0u);
  EXPECT_EQ(plan.alignment % 65536, 0u);
  // Rank 0 writes what is before and after the sites.
  const std::vector<Extent> extents = extents_of(plan, 1'000'000);
  EXPECT_EQ(extents.front().rank, 0);
  EXPECT_EQ(extents.back().rank, 0);
}

TEST(Plan, AsJsonNamesWhatItDoes) {
  const std::string json = to_json(plan_transfer(request_of({24, 24, 24, 48}, {2, 1, 1, 1})));
  for (const char* part :
       {"\"direction\":\"write\"", "\"grid\":[2,1,1,1]", "\"considered\":[", "\"strategy\":\"pull\""}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
  }
}

}  // namespace
}  // namespace lq
