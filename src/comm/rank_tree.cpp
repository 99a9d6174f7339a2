// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/rank_tree.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::comm {
namespace {

// The largest child. Ranges ascend in the order in which children are served.
Subtree split_off(Subtree& from, Order order) {
  const int taken = (from.end - from.begin + 1) / 2;
  if (order == Order::large_first) {
    const Subtree child{from.begin, from.begin + 1, from.begin + taken};
    from.begin += taken;
    return child;
  }
  from.end -= taken;
  return {from.end, from.end + 1, from.end + taken};
}

int require_root(const Comm& comm, int root) {
  if (root >= 0 && root < comm.size()) return root;
  throw Error(Code::communication,
              fmt::format("gathering at or dealing out from rank {}: the group has {} ranks", root, comm.size()));
}

}  // namespace

RankTree::RankTree(Comm& comm, int root, int ranks, Order order, int channel)
    : comm_(comm), root_(root), channel_(channel) {
  const int me = (comm.rank() - root + comm.size()) % comm.size();
  Subtree mine{0, 1, ranks};
  while (mine.root != me) {
    const Subtree child = split_off(mine, order);
    if (me < child.root || me >= child.end) continue;
    parent_ = mine.root;
    mine = child;
  }
  size_ = mine.size();
  while (mine.begin < mine.end) children_[degree_++] = split_off(mine, order);
  if (order == Order::small_first) std::ranges::reverse(std::span(children_).first(degree_));
}

RankTree::RankTree(Comm& comm, int root, Order order)
    : RankTree(comm, require_root(comm, root), comm.size(), order, tree_channel) {}

std::vector<std::size_t> turns_of(std::span<const int> ranks) {
  std::array<std::vector<std::size_t>, 3> turns;
  std::size_t several = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] > 0) turns[ranks[i] == 1 ? 2 : several++ % 2].push_back(i);
  }
  std::vector<std::size_t> all;
  for (const auto& some : turns) all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace lq::comm
