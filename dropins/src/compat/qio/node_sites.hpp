// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of this node, queried once from the layout's functions, and their order in a file.
#pragma once

#include <qio.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq::compat::qio {

// Consecutive sites of this node, in the lattice and in the file.
struct SiteRun {
  std::uint64_t rank = 0;      // of the first, in the lattice
  std::uint64_t position = 0;  // in the file, in sites
  std::uint64_t sites = 0;
  std::uint64_t first = 0;  // number of sites of this node before it
  std::uint64_t end() const noexcept { return position + sites; }
};

// The position of a lattice site within a box, in lexicographic order; empty: outside.
std::optional<std::uint64_t> place_within(std::uint64_t rank, const Extents& lattice, const Box& box);

// The box formed by these sites, in lexicographic order; empty: they do not form one.
std::optional<Box> box_of(std::span<const std::uint64_t> ranks, const Extents& lattice);

// In file order.
class NodeSites {
 public:
  NodeSites() = default;  // none
  // Local. All sites of the node, in lexicographic order. invalid_argument: the functions contradict each other.
  explicit NodeSites(const QIO_Layout& layout);

  std::uint64_t count() const noexcept { return count_; }
  // The box that these sites form, if they are in lexicographic order in it and in the file; empty: not
  // searched, or not a box.
  const std::optional<Box>& box() const noexcept { return box_; }
  std::span<const SiteRun> runs() const noexcept { return runs_; }
  // The node's own number of a site, by its position in this order.
  std::size_t index(std::uint64_t i) const noexcept { return order_.empty() ? i : order_[i]; }

  // The sites within a box; positions are those in a file of the box.
  NodeSites within(const Extents& lattice, const Box& box) const;
  // The same sites in the order of their own numbers, as in a file of this node alone.
  NodeSites by_index() const;
  // Makes them contiguous in the file from now on.
  void number_anew();
  // The same in a file with the sites of these ranks, which are ascending and a subset.
  NodeSites among(std::span<const std::uint64_t> ranks) const;
  // The subset of these sites, which are in lexicographic order, that a file lists in any order.
  NodeSites in_list(std::span<const std::uint64_t> ranks) const;
  // Lexicographic ranks in this order.
  std::vector<std::uint64_t> ranks() const;

 private:
  bool take_box(const QIO_Layout& layout);
  void extend(std::uint64_t rank, std::uint64_t position, std::uint64_t sites);
  void add(std::uint64_t rank, std::uint64_t position, std::size_t index);
  void forget_plain_order();

  std::uint64_t count_ = 0;
  std::vector<SiteRun> runs_;
  std::vector<std::uint32_t> order_;  // empty: 0, 1, 2, ...
  std::optional<Box> box_;
};

Extents extents_of(const QIO_Layout& layout);

}  // namespace lq::compat::qio
