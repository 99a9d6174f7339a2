// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/geometry.hpp"

#include <algorithm>
#include <vector>

#include "lattice/site_order.hpp"

namespace lq::engine {
namespace {

// Ranks advance by `step` along a dimension of so many places.
struct Stride {
  std::uint64_t step = 0, places = 1;
};

// How many sums of steps are below `limit`; strides ascend, each beyond all sums of those before it.
std::uint64_t sums_below(const std::vector<Stride>& strides, std::uint64_t limit) {
  std::uint64_t below = 1;  // sums of the strides looked at so far
  for (const Stride& stride : strides) below *= stride.places;
  std::uint64_t count = 0;
  for (std::size_t k = strides.size(); k-- > 0;) {
    below /= strides[k].places;
    const std::uint64_t whole = limit / strides[k].step;
    if (whole >= strides[k].places) return count + strides[k].places * below;
    count += whole * below;
    limit -= whole * strides[k].step;
  }
  return count + (limit > 0 ? 1 : 0);
}

}  // namespace

Geometry::Geometry(const Transfer& transfer)
    : transfer_(transfer),
      order_(lattice::resolve_order(transfer.payload.order, transfer.payload.stored.extents.size())),
      bytes_(transfer.region.volume() * transfer.site_bytes()),
      rank_bytes_(group_bytes(0)) {}

std::uint64_t Geometry::places(int k) const noexcept {
  const int d = order_[static_cast<std::size_t>(k)];
  return static_cast<std::uint64_t>(std::min(transfer_.dealt->processes()[d], transfer_.region.extents[d]));
}

std::uint64_t Geometry::groups(int shared) const noexcept {
  std::uint64_t count = 1;
  for (int k = shared; k < dimensions(); ++k) count *= places(k);
  return count;
}

std::uint64_t Geometry::members(int shared) const noexcept {
  std::uint64_t count = 1;
  for (int k = 0; k < shared; ++k) count *= places(k);
  return count;
}

std::uint64_t Geometry::piece_bytes(int shared) const noexcept {
  std::uint64_t bytes = transfer_.site_bytes();
  for (int k = 0; k < dimensions(); ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    const std::int64_t extent = k < shared ? transfer_.region.extents[d] : transfer_.dealt->block(d, 0).extent;
    bytes *= static_cast<std::uint64_t>(extent);
    if (extent < transfer_.payload.stored.extents[d]) break;
  }
  return bytes;
}

std::uint64_t Geometry::group_bytes(int shared) const noexcept {
  std::uint64_t bytes = transfer_.site_bytes();
  for (int k = 0; k < dimensions(); ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    bytes *= static_cast<std::uint64_t>(k < shared ? transfer_.region.extents[d] : transfer_.dealt->block(d, 0).extent);
  }
  return bytes;
}

std::uint64_t Geometry::members_on_node(int shared, int rank, std::uint64_t ranks_per_node) const {
  const lattice::Decomposition& dealt = *transfer_.dealt;
  const Box mine = dealt.box_of(rank);
  if (mine.empty()) return 0;
  Coord first = dealt.process_of(mine.lower);
  const std::uint64_t begin = static_cast<std::uint64_t>(rank) / ranks_per_node * ranks_per_node;
  const std::uint64_t end = begin + ranks_per_node;
  if (!dealt.holders().empty()) return listed_members_between(begin, end, shared, first);
  std::vector<Stride> strides;
  const Coord corner = Coord::filled(dimensions(), 0);
  for (int k = 0; k < shared; ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    first[d] = 0;
    if (places(k) == 1) continue;
    Coord next = corner;
    next[d] = 1;
    strides.push_back({static_cast<std::uint64_t>(dealt.rank_at(next) - dealt.rank_at(corner)), places(k)});
  }
  std::ranges::sort(strides, {}, &Stride::step);
  const auto base = static_cast<std::uint64_t>(dealt.rank_at(first));
  return sums_below(strides, end - base) - (begin > base ? sums_below(strides, begin - base) : 0);
}

Box Geometry::places_of_group(int shared, Coord place) const {
  Box group{place, Coord::filled(dimensions(), 1)};
  for (int k = 0; k < shared; ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    group.lower[d] = 0;
    group.extents[d] = static_cast<std::int64_t>(places(k));
  }
  return group;
}

std::uint64_t Geometry::listed_members_between(std::uint64_t begin, std::uint64_t end, int shared,
                                               const Coord& place) const {
  const Box group = places_of_group(shared, place);
  std::uint64_t count = 0;
  Coord next = group.lower;
  do {
    const auto rank = static_cast<std::uint64_t>(transfer_.dealt->rank_at(next));
    count += begin <= rank && rank < end ? 1 : 0;
  } while (lattice::advance(next, group, order_));
  return count;
}

bool Geometry::listed_groups_stay_on_nodes(int shared, std::uint64_t ranks_per_node) const {
  const Box all = places_of_group(dimensions(), Coord::filled(dimensions(), 0));
  const std::uint64_t each = members(shared);  // of a group; they follow each other in the file's order
  std::uint64_t number = 0, node_of_group = 0;
  Coord next = all.lower;
  do {
    const std::uint64_t node = static_cast<std::uint64_t>(transfer_.dealt->rank_at(next)) / ranks_per_node;
    if (number++ % each == 0) node_of_group = node;
    if (node != node_of_group) return false;
  } while (lattice::advance(next, all, order_));
  return true;
}

// Ranks that follow each other without a gap, as many as divide a node.
bool Geometry::groups_stay_on_nodes(int shared, std::uint64_t ranks_per_node) const {
  const lattice::Decomposition& dealt = *transfer_.dealt;
  if (!dealt.holders().empty()) return listed_groups_stay_on_nodes(shared, ranks_per_node);
  const std::uint64_t all = volume(dealt.processes());
  if (all <= ranks_per_node) return true;
  std::uint64_t dense = 1;  // ranks that follow each other in one group
  Coord next = Coord::filled(dimensions(), 0);
  const int corner = dealt.rank_at(next);
  std::vector<Stride> strides;
  for (int k = 0; k < shared; ++k) {
    const int d = order_[static_cast<std::size_t>(k)];
    if (dealt.processes()[d] == 1) continue;
    next[d] = 1;
    const int step = dealt.rank_at(next) - corner;
    next[d] = 0;
    strides.push_back({static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(dealt.processes()[d])});
  }
  std::ranges::sort(strides, {}, &Stride::step);
  for (const Stride& stride : strides) {
    if (stride.step != dense) return false;
    dense *= stride.places;
  }
  return ranks_per_node % dense == 0;
}

}  // namespace lq::engine
