// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages and bytes of trees, counted as tree.cpp sends them. Where more bytes come than one message takes, a rank
// receives and sends the further pieces in turn.
#include <bit>

#include "comm/tree.hpp"

namespace lq::comm {
namespace {

std::uint64_t levels(std::uint64_t ranks) noexcept { return static_cast<std::uint64_t>(std::bit_width(ranks - 1)); }
std::uint64_t pieces(std::uint64_t bytes) noexcept { return (bytes + tree_piece_bytes - 1) / tree_piece_bytes; }

// Calls work(ranks) for the subtrees of the root's children, the largest first.
template <class Work>
void for_each_child(std::uint64_t ranks, const Work& work) {
  for (std::uint64_t others = ranks - 1; others > 0; others /= 2) work((others + 1) / 2);
}

}  // namespace

TreeCost gathering_cost(std::uint64_t ranks, std::uint64_t bytes_each) {
  TreeCost cost{2 * levels(ranks), 0, 0};
  if (bytes_each == 0) cost.steps = levels(ranks);
  for_each_child(ranks, [&](std::uint64_t below) {
    const std::uint64_t bytes = below * bytes_each;
    if (cost.messages == 0) {  // nobody sends more than the first
      cost.messages = 1 + pieces(bytes);
      cost.bytes = sizeof(std::uint64_t) + bytes;
    }
    if (bytes > 0) cost.steps += 2 * (pieces(bytes) - 1);
  });
  return cost;
}

TreeCost scattering_cost(std::uint64_t ranks, std::uint64_t bytes_each) {
  TreeCost cost{2 * levels(ranks), 0, 0};
  for_each_child(ranks, [&](std::uint64_t below) {
    const std::uint64_t bytes = below * (sizeof(std::uint64_t) + bytes_each);
    cost.messages += 2 * pieces(bytes);
    cost.bytes += bytes + sizeof(std::uint64_t) * pieces(bytes);
    cost.steps += 4 * (pieces(bytes) - 1);
  });
  return cost;
}

TreeCost summing_cost(std::uint64_t ranks, std::uint64_t values) {
  return {2 * levels(ranks), levels(ranks), 2 * sizeof(std::uint64_t) * values * levels(ranks)};
}

}  // namespace lq::comm
