// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Closed forms of geometry against loops over all ranks and sites.
#include "engine/choose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "lattice/site_order.hpp"
#include "support/transfers.hpp"

namespace lq::engine {
namespace {

using testing::TransferCase;
using testing::TransferOf;

// The group of each rank with sites: its place in the process grid without the shared dimensions.
std::map<std::vector<std::int64_t>, std::vector<int>> groups_of(const TransferOf& made, int shared) {
  const Transfer& transfer = made.transfer();
  const SiteOrder order = lattice::resolve_order(transfer.payload.order, transfer.payload.extents.size());
  std::map<std::vector<std::int64_t>, std::vector<int>> groups;
  for (int rank = 0; rank < made.ranks(); ++rank) {
    const Box mine = transfer.dealt->box_of(rank);
    if (mine.empty()) continue;
    const Coord place = transfer.dealt->process_of(mine.lower);
    std::vector<std::int64_t> key;
    for (std::size_t k = static_cast<std::size_t>(shared); k < order.size(); ++k) key.push_back(place[order[k]]);
    groups[key].push_back(rank);
  }
  return groups;
}

// The longest run of consecutive sites of the file that these ranks hold, in bytes.
std::uint64_t longest_run(const TransferOf& made, const std::vector<int>& ranks) {
  const Transfer& transfer = made.transfer();
  const SiteOrder order = lattice::resolve_order(transfer.payload.order, transfer.payload.extents.size());
  std::uint64_t longest = 0, run = 0;
  for (std::uint64_t site = 0; site < transfer.payload.stored.volume(); ++site) {
    const Coord x = lattice::site_at(site, transfer.payload.stored, order);
    const bool is_held = std::ranges::any_of(ranks, [&](int rank) { return transfer.box_of(rank).contains(x); });
    run = is_held ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest * transfer.site_bytes();
}

class GeometryOf : public ::testing::TestWithParam<TransferCase> {
 protected:
  TransferOf made_{GetParam()};
  Geometry geometry_{made_.transfer()};
};

TEST_P(GeometryOf, CountsGroupsTheirRanksAndBytes) {
  for (int shared = 0; shared <= geometry_.dimensions(); ++shared) {
    const auto groups = groups_of(made_, shared);
    std::uint64_t most = 0, bytes = 0;
    for (const auto& [key, ranks] : groups) {
      std::uint64_t sum = 0;
      for (const int rank : ranks) sum += made_.transfer().box_of(rank).volume() * made_.transfer().site_bytes();
      most = std::max(most, static_cast<std::uint64_t>(ranks.size()));
      bytes = std::max(bytes, sum);
    }
    EXPECT_EQ(geometry_.groups(shared), groups.size()) << shared;
    EXPECT_EQ(geometry_.members(shared), most) << shared;
    EXPECT_EQ(geometry_.group_bytes(shared), bytes) << shared;
  }
}

TEST_P(GeometryOf, KnowsTheLongestContiguousPieceOfAGroup) {
  for (int shared = 0; shared <= geometry_.dimensions(); ++shared) {
    std::uint64_t longest = 0;
    for (const auto& [key, ranks] : groups_of(made_, shared)) longest = std::max(longest, longest_run(made_, ranks));
    EXPECT_EQ(geometry_.piece_bytes(shared), longest) << shared;
  }
}

TEST_P(GeometryOf, KnowsWhoOfAGroupIsOnTheSameNode) {
  for (const auto ranks_per_node : std::to_array<std::uint64_t>({1, 2, 3, 4, 8, 64})) {
    for (int shared = 0; shared <= geometry_.dimensions(); ++shared) {
      bool stay = true;
      for (const auto& [key, ranks] : groups_of(made_, shared)) {
        for (const int rank : ranks) {
          const auto near = std::ranges::count_if(ranks, [&](int other) {
            return static_cast<std::uint64_t>(other) / ranks_per_node ==
                   static_cast<std::uint64_t>(rank) / ranks_per_node;
          });
          EXPECT_EQ(geometry_.members_on_node(shared, rank, ranks_per_node), static_cast<std::uint64_t>(near))
              << "rank " << rank << ", " << shared << " shared, " << ranks_per_node << " per node";
          stay = stay && static_cast<std::size_t>(near) == ranks.size();
        }
      }
      // It may say no where it is so by chance.
      EXPECT_TRUE(stay || !geometry_.groups_stay_on_nodes(shared, ranks_per_node));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Geometries, GeometryOf, ::testing::ValuesIn(testing::transfer_cases()));

TEST(Geometry, FindsGroupsOnNodesWhereRanksFollowEachOther) {
  const TransferOf made({"", {16, 8, 8, 8}, {4, 2, 2, 4}, 576});
  const Geometry geometry(made.transfer());
  EXPECT_TRUE(geometry.groups_stay_on_nodes(1, 4));
  EXPECT_TRUE(geometry.groups_stay_on_nodes(2, 16));
  EXPECT_FALSE(geometry.groups_stay_on_nodes(2, 4));
  EXPECT_FALSE(geometry.groups_stay_on_nodes(2, 12));
  EXPECT_TRUE(geometry.groups_stay_on_nodes(4, 64));
  EXPECT_TRUE(geometry.groups_stay_on_nodes(0, 1));
}

}  // namespace
}  // namespace lq::engine
