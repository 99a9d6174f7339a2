// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoints/node_parity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/path.hpp"
#include "support/node_part.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::sets {
namespace {

namespace fs = std::filesystem;

using Groups = std::vector<std::vector<int>>;

TEST(ParityGroups, HaveOneRankOfEachNode) {
  EXPECT_EQ(form_parity_groups(std::vector<std::int32_t>{0, 0, 2, 2}, 8), (Groups{{0, 2}, {1, 3}, {0, 2}, {1, 3}}));
  // Cyclic, and groups of two of four nodes.
  EXPECT_EQ(form_parity_groups(std::vector<std::int32_t>{0, 1, 2, 3}, 2), (Groups{{0, 1}, {0, 1}, {2, 3}, {2, 3}}));
  EXPECT_EQ(form_parity_groups(std::vector<std::int32_t>{0, 0, 0}, 8), (Groups{{}, {}, {}}));
}

// Any number of nodes, which hold any number of ranks each.
TEST(ParityGroups, OfAnyJobAreDisjointAndSpanNodes) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    const int nodes = 1 + static_cast<int>(random() % 12), of_group = 2 + static_cast<int>(random() % 5);
    std::vector<std::int32_t> node_of;
    for (std::size_t ranks = 1 + random() % 40; ranks > 0; --ranks) {
      node_of.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(nodes)));
    }
    const Groups groups = form_parity_groups(node_of, of_group);
    ASSERT_EQ(groups.size(), node_of.size());
    for (std::size_t rank = 0; rank < groups.size(); ++rank) {
      const std::vector<int>& group = groups[rank];
      if (group.empty()) continue;
      ASSERT_GE(group.size(), 2U);
      ASSERT_LT(group.size(), 2U * static_cast<unsigned>(of_group));
      ASSERT_NE(std::ranges::find(group, static_cast<int>(rank)), group.end());
      std::set<std::int32_t> seen;
      for (const int member : group) {
        ASSERT_EQ(groups[static_cast<std::size_t>(member)], group);
        ASSERT_TRUE(seen.insert(node_of[static_cast<std::size_t>(member)]).second);
      }
    }
  }
}

class RestoredParts : public ::testing::Test {
 protected:
  std::string folder(std::string_view kind, int rank) const { return directory_ / fmt::format("{}-{}", kind, rank); }
  static std::map<std::string, std::string> contents(const std::string& folder) {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      all[entry.path().filename()] = {std::istreambuf_iterator<char>(file), {}};
    }
    return all;
  }

  testing::ScratchDirectory directory_;
};

// Of groups of any size any lost ranks, up to the number asked for: every file comes back byte for byte. One more, and
// none of the group does.
TEST_F(RestoredParts, AreThoseThatWereLost) {
  std::mt19937 random(3);
  for (unsigned trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    fs::remove_all(directory_.path());
    fs::create_directory(directory_.path());
    const int ranks = 2 + static_cast<int>(random() % 7);
    const auto restorable = static_cast<std::uint32_t>(1 + random() % std::min(3U, static_cast<unsigned>(ranks) - 1));
    std::vector<std::uint64_t> order(static_cast<std::size_t>(ranks));
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::shuffle(order, random);
    const bool too_many = restorable + 1 < static_cast<unsigned>(ranks) && random() % 4 == 0;
    std::vector<std::uint64_t> lost(
        order.begin(),
        order.begin() + static_cast<std::ptrdiff_t>(too_many ? restorable + 1 : 1 + random() % restorable));
    std::ranges::sort(lost);
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const int rank = comm->rank();
      std::vector<int> group;
      for (int one = 0; one < ranks; ++one) group.push_back(one);
      const NodePart part = testing::make_node_part(folder("rank", rank), rank, trial);
      CheckpointDirectory parity(folder("parity", rank));
      parity.make();
      EXPECT_EQ(write_parity(*comm, group, restorable, part, parity), restorable);
      const bool is_lost = std::ranges::find(lost, static_cast<std::uint64_t>(rank)) != lost.end();
      const auto before = contents(part.folder + "/" + part.name);
      std::map<std::uint64_t, NodePart> parts;
      std::vector<NodePart> kept;
      const CheckpointDirectory own(part.folder);
      if (is_lost) {
        own.remove(part.name);
      } else {
        parts[static_cast<std::uint64_t>(rank)] = part;
        for (Listed& one : parity.list().checkpoints) {
          prove(Communicator().engine(), parity.transport(), parity.of(one.name), one.manifest);
          kept.push_back({parity.path(), one.name, std::move(one.manifest)});
        }
      }
      const std::string name = restore_parts(*comm, lost, parts, kept, own);
      EXPECT_EQ(name.empty(), !is_lost || too_many);
      if (!name.empty()) {
        EXPECT_EQ(contents(own.of(name)), before);
      }
    });
  }
}

}  // namespace
}  // namespace lq::sets
