// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which sites this node has, asked once of the layout's functions, and in which order a file has them.
#pragma once

#include <qio.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq::compat::qio {

// Sites of this node that follow each other, in the lattice and in the file.
struct SiteRun {
  std::uint64_t rank = 0;      // of the first, in the lattice
  std::uint64_t position = 0;  // in the file, in sites
  std::uint64_t sites = 0;
  std::uint64_t first = 0;  // how many sites of this node come before it
  std::uint64_t end() const noexcept { return position + sites; }
};

// Where a site of the lattice is among those of a box, in lexicographic order; nothing: outside.
std::optional<std::uint64_t> place_within(std::uint64_t rank, const Extents& lattice, const Box& box);

// The box that these sites are, in lexicographic order; nothing: they are none.
std::optional<Box> box_of(std::span<const std::uint64_t> ranks, const Extents& lattice);

// In the order of the file.
class NodeSites {
 public:
  NodeSites() = default;  // none
  // Local. All sites of the node, in lexicographic order. invalid_argument: the functions contradict each other.
  explicit NodeSites(const QIO_Layout& layout);

  std::uint64_t count() const noexcept { return count_; }
  // That these sites are, all of which lie in it in lexicographic order, as they do in the file; nothing: it was not
  // looked for, or they are none.
  const std::optional<Box>& box() const noexcept { return box_; }
  std::span<const SiteRun> runs() const noexcept { return runs_; }
  // The node's own number of a site, by its place in this order.
  std::size_t index(std::uint64_t i) const noexcept { return order_.empty() ? i : order_[i]; }

  // Those within a box; their positions are those of a file of it.
  NodeSites within(const Extents& lattice, const Box& box) const;
  // The same sites in the order of their own numbers, as they lie in a file of this node alone.
  NodeSites by_index() const;
  // From now on they lie contiguous in the file.
  void number_anew();
  // The same in a file that has the sites of these ranks, which ascend and are among them.
  NodeSites among(std::span<const std::uint64_t> ranks) const;
  // Of these sites, which are in lexicographic order, those that a file lists, whatever its order.
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
