// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes that follow from how a lattice is dealt out and stored: what is contiguous, for one rank and for a group of
// ranks that differ in the fastest file dimensions only.
#pragma once

#include <cstdint>

#include "engine/shares.hpp"

namespace lq::engine {

// A count to calculate with.
inline double real(std::uint64_t value) { return static_cast<double>(value); }

class Geometry {
 public:
  // `transfer` outlives it.
  explicit Geometry(const Transfer& transfer);

  int dimensions() const noexcept { return static_cast<int>(order_.size()); }
  const SiteOrder& order() const noexcept { return order_; }         // of the file, resolved
  std::uint64_t bytes() const noexcept { return bytes_; }            // that move
  std::uint64_t ranks() const noexcept { return groups(0); }         // that hold sites
  std::uint64_t rank_bytes() const noexcept { return rank_bytes_; }  // of the rank with the most

  // Groups of ranks that differ in the `shared` fastest dimensions: how many there are, how many ranks one has at
  // most, what its largest contiguous piece of the file is, and the bytes of the largest. 0: every rank is a group.
  std::uint64_t groups(int shared) const noexcept;
  std::uint64_t members(int shared) const noexcept;
  std::uint64_t piece_bytes(int shared) const noexcept;
  std::uint64_t group_bytes(int shared) const noexcept;
  std::uint64_t row_bytes() const noexcept { return piece_bytes(0); }

  // Ranks of the group of `rank` that run on the same node, where nodes are filled with consecutive ranks.
  std::uint64_t members_on_node(int shared, int rank, std::uint64_t ranks_per_node) const;
  // Returns true if that is all of them for every group. May return false if that is so by chance.
  bool groups_stay_on_nodes(int shared, std::uint64_t ranks_per_node) const;

 private:
  // The places of the process grid that hold sites and differ from `place` only in the shared dimensions.
  Box places_of_group(int shared, Coord place) const;
  // The same place by place, if the decomposition lists its ranks: members of the group of `place` with numbers from
  // `begin` to before `end`.
  std::uint64_t listed_members_between(std::uint64_t begin, std::uint64_t end, int shared, const Coord& place) const;
  bool listed_groups_stay_on_nodes(int shared, std::uint64_t ranks_per_node) const;
  std::uint64_t places(int k) const noexcept;  // ranks along the file's dimension number k that hold sites

  const Transfer& transfer_;
  SiteOrder order_;
  std::uint64_t bytes_ = 0;
  std::uint64_t rank_bytes_ = 0;
};

}  // namespace lq::engine
