// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/pack.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "support/error_of.hpp"
#include "support/thread_comm.hpp"

namespace lq::comm {
namespace {

using Handle = std::shared_ptr<Comm>;

struct Leaf {
  std::string name;
  std::optional<std::uint64_t> size = {};
  friend auto members(Leaf& leaf) { return std::tie(leaf.name, leaf.size); }
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

struct Branch {
  std::int32_t number = 0;
  std::vector<Leaf> leaves = {};
  std::vector<std::uint32_t> words = {};
  std::map<std::string, std::vector<std::byte>> states = {};
  std::set<std::string> names = {};
  std::pair<bool, std::string> place = {};
  friend auto members(Branch& branch) {
    return std::tie(branch.number, branch.leaves, branch.words, branch.states, branch.names, branch.place);
  }
  friend bool operator==(const Branch&, const Branch&) = default;
};

const Branch full{-3,         {{"a", 7}, {"", std::nullopt}},
                  {1, 2, 3},  {{"rng", {std::byte{1}, std::byte{2}}}, {"empty", {}}},
                  {"x", "y"}, {true, "there"}};

TEST(Pack, BringsBackEveryMemberAndWhatFollows) {
  const std::vector<std::byte> bytes = packed(full, std::string("more"));
  base::Bytes rest = bytes;
  Branch branch{.number = 1, .leaves = {{"old", 1}}, .words = {9}, .states = {{"old", {}}}, .names = {"old"}};
  std::string more;
  unpack(rest, branch, more);
  EXPECT_EQ(branch, full);
  EXPECT_EQ(more, "more");
  EXPECT_TRUE(rest.empty());
}

// A vector of numbers is their count and they, as an independent reader expects.
TEST(Pack, LaysNumbersOutOneAfterTheOther) {
  const std::vector<std::byte> bytes = packed(std::uint32_t{5}, std::vector<std::uint16_t>{6, 7});
  ASSERT_EQ(bytes.size(), 4U + 8U + 2 * 2U);
  base::Bytes rest = bytes;
  EXPECT_EQ(take<std::uint32_t>(rest), 5U);
  EXPECT_EQ(take<std::uint64_t>(rest), 2U);
  EXPECT_EQ(take<std::uint16_t>(rest), 6U);
  EXPECT_EQ(take<std::uint16_t>(rest), 7U);
}

TEST(Pack, RefusesBytesThatWereCut) {
  const std::vector<std::byte> bytes = packed(full);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    base::Bytes cut = base::Bytes(bytes).first(size);
    Branch branch;
    EXPECT_EQ(testing::error_of([&] { unpack(cut, branch); }).code(), Code::communication) << size;
  }
}

TEST(ShareFromRoot, BringsWhatTheRootMadeInTwoOperationsAndItsFailureToAll) {
  std::vector<testing::Traffic> traffic;
  testing::run_ranks(3,
                     [&](Handle comm) {
                       Branch branch;
                       std::string text = "old";
                       const auto make = [&] {
                         ASSERT_EQ(comm->rank(), 0);
                         branch = full;
                         text = "new";
                       };
                       share_from_root(*comm, make, branch, text);
                       EXPECT_EQ(branch, full);
                       EXPECT_EQ(text, "new");
                     },
                     {.traffic = &traffic});
  EXPECT_EQ(traffic[1].collectives, 2U);
  testing::run_ranks(3, [](Handle comm) {
    std::string text;
    const auto fail = [] { throw Error(Code::no_space, "full"); };
    EXPECT_EQ(testing::error_of([&] { share_from_root(*comm, fail, text); }).code(), Code::no_space);
  });
}

}  // namespace
}  // namespace lq::comm
