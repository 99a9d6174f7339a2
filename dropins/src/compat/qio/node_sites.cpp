// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/node_sites.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <qio.h>
#include <limequat/error.hpp>

#include "lattice/site_order.hpp"

namespace lq::compat::qio {

// The functions of a layout in either of the two forms.

namespace {

// The layout must outlive it.
class Questions {
 public:
  explicit Questions(const QIO_Layout& layout) : layout_(layout) {}
  bool knows_coordinates() const { return layout_.get_coords != nullptr || layout_.get_coords_ext != nullptr; }
  bool knows_nodes() const {
    return (layout_.node_number != nullptr || layout_.node_number_ext != nullptr) &&
           (layout_.node_index != nullptr || layout_.node_index_ext != nullptr);
  }
  int node(const int* coordinates) const {
    return layout_.node_number != nullptr ? layout_.node_number(coordinates)
                                          : layout_.node_number_ext(coordinates, layout_.arg);
  }
  std::uint64_t index(const int* coordinates) const {
    return layout_.node_index != nullptr ? static_cast<std::uint64_t>(layout_.node_index(coordinates))
                                         : layout_.node_index_ext(coordinates, layout_.arg);
  }
  void coordinates(int* to, int node, std::uint64_t index) const {
    if (layout_.get_coords != nullptr) return layout_.get_coords(to, node, static_cast<int>(index));
    layout_.get_coords_ext(to, node, index, layout_.arg);
  }
  std::uint64_t sites(int node) const {
    if (layout_.num_sites != nullptr) return static_cast<std::uint64_t>(layout_.num_sites(node));
    if (layout_.num_sites_ext != nullptr) return layout_.num_sites_ext(node, layout_.arg);
    return layout_.sites_on_node;
  }

 private:
  const QIO_Layout& layout_;
};

struct Site {
  std::uint64_t rank;
  std::uint32_t index;
};

using Point = int[QIO_MAXINTARRAY];

// The box around some of the node's sites at its corners, whichever parity comes first.
Box bounds_of_some(const Questions& ask, const QIO_Layout& layout, std::uint64_t count) {
  Point point{};
  Box box{Coord::filled(layout.latdim, 0), Coord::filled(layout.latdim, 1)};
  for (const std::uint64_t i : {std::uint64_t{0}, (count - 1) / 2, count / 2, count - 1}) {
    ask.coordinates(point, layout.this_node, i);
    for (int d = 0; d < layout.latdim; ++d) {
      const std::int64_t end = i == 0 ? point[d] : box.lower[d] + box.extents[d] - 1;
      const std::int64_t lower = i == 0 ? point[d] : std::min<std::int64_t>(box.lower[d], point[d]);
      box.extents[d] = std::max<std::int64_t>(end, point[d]) - lower + 1;
      box.lower[d] = lower;
    }
  }
  return box;
}

// The node's box if all nodes have boxes of the same extents, determined by the owners of sites. A program that only
// reads may not know its own sites yet: QIO does not request them to read a single file.
std::optional<Box> box_among_equal(const Questions& ask, const QIO_Layout& layout, std::uint64_t count) {
  const Extents extents = extents_of(layout);
  if (count == volume(extents)) return whole(extents);
  Box box{Coord::filled(layout.latdim, 0), Coord::filled(layout.latdim, 1)};
  Point point{};
  const int first = ask.node(point);
  for (int d = 0; d < layout.latdim; ++d) {
    for (point[d] = 1; point[d] < layout.latsize[d] && ask.node(point) == first; ++point[d]) ++box.extents[d];
    point[d] = 0;
    if (layout.latsize[d] % box.extents[d] != 0) return std::nullopt;
  }
  if (box.volume() != count) return std::nullopt;
  for (int d = 0; d < layout.latdim;) {
    if (ask.node(point) == layout.this_node) {
      for (int i = 0; i < layout.latdim; ++i) box.lower[i] = point[i];
      return box;
    }
    for (d = 0; d < layout.latdim; ++d) {
      point[d] += static_cast<int>(box.extents[d]);
      if (point[d] < layout.latsize[d]) break;
      point[d] = 0;
    }
  }
  return std::nullopt;
}

// True if the node's sites could be determined from their numbers; false: these functions contradict the others.
bool ask_by_number(const Questions& ask, const QIO_Layout& layout, std::vector<Site>& sites) {
  if (!ask.knows_coordinates()) return false;
  const std::uint64_t count = ask.sites(layout.this_node);
  sites.reserve(static_cast<std::size_t>(count));
  Point point{};
  for (std::uint64_t i = 0; i < count; ++i) {
    ask.coordinates(point, layout.this_node, i);
    for (int d = 0; d < layout.latdim; ++d) {
      if (point[d] < 0 || point[d] >= layout.latsize[d]) return false;
    }
    if (ask.knows_nodes() && (ask.node(point) != layout.this_node || ask.index(point) != i)) return false;
    sites.push_back({static_cast<std::uint64_t>(DML_lex_rank(point, layout.latdim, layout.latsize)),
                     static_cast<std::uint32_t>(i)});
  }
  return true;
}

// Asks for all sites of the lattice.
void ask_by_coordinates(const Questions& ask, const QIO_Layout& layout, std::vector<Site>& sites) {
  if (!ask.knows_nodes()) throw Error(Code::invalid_argument, "qio: the layout has no functions for nodes and sites");
  const std::uint64_t all = volume(extents_of(layout));
  Point point{};
  for (std::uint64_t rank = 0; rank < all; ++rank) {
    DML_lex_coords(point, layout.latdim, layout.latsize, static_cast<DML_SiteRank>(rank));
    if (ask.node(point) == layout.this_node) sites.push_back({rank, static_cast<std::uint32_t>(ask.index(point))});
  }
}

std::vector<Site> sites_of(const QIO_Layout& layout) {
  const Questions ask(layout);
  std::vector<Site> sites;
  if (!ask_by_number(ask, layout, sites)) {
    sites.clear();
    ask_by_coordinates(ask, layout, sites);
  }
  const auto is_before = [](const Site& a, const Site& b) { return a.rank < b.rank; };
  if (!std::ranges::is_sorted(sites, is_before)) std::ranges::sort(sites, is_before);
  for (std::size_t i = 1; i < sites.size(); ++i) {
    if (sites[i].rank != sites[i - 1].rank) continue;
    throw Error(Code::invalid_argument, fmt::format("qio: node {} has site {} twice", layout.this_node, sites[i].rank));
  }
  return sites;
}

}  // namespace

Extents extents_of(const QIO_Layout& layout) {
  if (layout.latdim < 1 || layout.latdim > max_dimensions || layout.latdim > QIO_MAXINTARRAY ||
      layout.latsize == nullptr) {
    throw Error(Code::invalid_argument, fmt::format("qio: a lattice of {} dimensions", layout.latdim));
  }
  Extents extents = Coord::filled(layout.latdim, 1);
  for (int d = 0; d < layout.latdim; ++d) {
    if (layout.latsize[d] < 1) throw Error(Code::invalid_argument, "qio: an extent of the lattice is not positive");
    extents[d] = layout.latsize[d];
  }
  return extents;
}

NodeSites::NodeSites(const QIO_Layout& layout) {
  if (const std::uint64_t count = Questions(layout).sites(layout.this_node);
      count > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(Code::too_large, fmt::format("qio: {} sites on one node; the limit is 2^32", count));
  }
  if (!take_box(layout)) {
    *this = {};
    const std::vector<Site> sites = sites_of(layout);
    order_.reserve(sites.size());
    for (const Site& site : sites) add(site.rank, site.rank, site.index);
  }
  forget_plain_order();
}

// True if the node's sites form a box, queried site by site in lattice order; each number occurs once. If the
// node has all sites, only one site of each row is checked.
bool NodeSites::take_box(const QIO_Layout& layout) {
  const Questions ask(layout);
  const std::uint64_t count = ask.sites(layout.this_node);
  if (!ask.knows_nodes() || count == 0) return false;
  const Extents extents = extents_of(layout);
  const std::optional<Box> found = box_among_equal(ask, layout, count);
  if (!found && !ask.knows_coordinates()) return false;
  const Box box = found ? *found : bounds_of_some(ask, layout, count);
  if (box.volume() != count || intersect(box, whole(extents)) != box) return false;
  const bool is_all = count == volume(extents);
  std::vector<bool> is_taken(static_cast<std::size_t>(count));
  order_.reserve(static_cast<std::size_t>(count));
  Point point{};
  for (int d = 0; d < layout.latdim; ++d) point[d] = static_cast<int>(box.lower[d]);
  while (order_.size() < count) {
    const auto row = static_cast<std::uint64_t>(DML_lex_rank(point, layout.latdim, layout.latsize));
    for (std::int64_t k = 0; k < box.extents[0]; ++k, ++point[0]) {
      if ((k == 0 || !is_all) && ask.node(point) != layout.this_node) return false;
      const std::uint64_t index = ask.index(point);
      if (index >= count || is_taken[static_cast<std::size_t>(index)]) return false;
      is_taken[static_cast<std::size_t>(index)] = true;
      order_.push_back(static_cast<std::uint32_t>(index));
    }
    extend(row, row, static_cast<std::uint64_t>(box.extents[0]));
    point[0] = static_cast<int>(box.lower[0]);
    for (int d = 1; d < layout.latdim; ++d) {
      if (++point[d] < box.lower[d] + box.extents[d]) break;
      point[d] = static_cast<int>(box.lower[d]);
    }
  }
  box_ = box;
  return true;
}

// Merges consecutive sites.
void NodeSites::extend(std::uint64_t rank, std::uint64_t position, std::uint64_t sites) {
  if (runs_.empty() || runs_.back().end() != position || runs_.back().rank + runs_.back().sites != rank) {
    runs_.push_back({rank, position, 0, count_});
  }
  runs_.back().sites += sites;
  count_ += sites;
}

void NodeSites::add(std::uint64_t rank, std::uint64_t position, std::size_t index) {
  extend(rank, position, 1);
  order_.push_back(static_cast<std::uint32_t>(index));
}

void NodeSites::forget_plain_order() {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (order_[i] != i) return;
  }
  order_ = {};
}

std::optional<std::uint64_t> place_within(std::uint64_t rank, const Extents& lattice, const Box& box) {
  Coord x = lattice::site_of_rank(rank, lattice);
  for (int d = 0; d < x.size(); ++d) {
    x[d] -= box.lower[d];
    if (x[d] < 0 || x[d] >= box.extents[d]) return std::nullopt;
  }
  return lattice::site_rank(x, box.extents);
}

std::optional<Box> box_of(std::span<const std::uint64_t> ranks, const Extents& lattice) {
  if (ranks.empty()) return std::nullopt;
  Box box{lattice::site_of_rank(ranks.front(), lattice), lattice::site_of_rank(ranks.back(), lattice)};
  for (int d = 0; d < lattice.size(); ++d) box.extents[d] -= box.lower[d] - 1;
  if (std::ranges::any_of(box.extents, [](std::int64_t extent) { return extent < 1; })) return std::nullopt;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (place_within(ranks[i], lattice, box) != i) return std::nullopt;
  }
  return box.volume() == ranks.size() ? std::optional(box) : std::nullopt;
}

NodeSites NodeSites::within(const Extents& lattice, const Box& box) const {
  NodeSites part;
  if (box_ && !intersect(*box_, box).empty()) part.box_ = intersect(*box_, box);
  for (const SiteRun& run : runs_) {
    for (std::uint64_t k = 0; k < run.sites; ++k) {
      const auto place = place_within(run.rank + k, lattice, box);
      if (place) part.add(run.rank + k, *place, index(run.first + k));
    }
  }
  part.forget_plain_order();
  return part;
}

NodeSites NodeSites::in_list(std::span<const std::uint64_t> ranks) const {
  NodeSites part;
  const auto holds = [](const SiteRun& run, std::uint64_t rank) {
    return rank >= run.rank && rank - run.rank < run.sites;
  };
  const auto begins_behind = [](std::uint64_t rank, const SiteRun& run) { return rank < run.rank; };
  auto run = runs_.begin();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (run == runs_.end() || !holds(*run, ranks[i])) {
      run = std::upper_bound(runs_.begin(), runs_.end(), ranks[i], begins_behind);
      if (run != runs_.begin()) --run;
      if (run == runs_.end() || !holds(*run, ranks[i])) continue;
    }
    part.add(ranks[i], i, index(run->first + (ranks[i] - run->rank)));
  }
  part.forget_plain_order();
  return part;
}

NodeSites NodeSites::by_index() const {
  if (order_.empty()) {
    NodeSites same = *this;
    same.number_anew();
    return same;
  }
  std::vector<std::uint64_t> rank_of(static_cast<std::size_t>(count_));
  const std::vector<std::uint64_t> all = ranks();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (index(i) >= all.size()) throw Error(Code::invalid_argument, "qio: the numbers of a node's sites have gaps");
    rank_of[index(i)] = all[i];
  }
  NodeSites part;
  for (std::size_t i = 0; i < rank_of.size(); ++i) part.add(rank_of[i], i, i);
  part.forget_plain_order();
  return part;
}

void NodeSites::number_anew() {
  for (SiteRun& run : runs_) run.position = run.first;
}

NodeSites NodeSites::among(std::span<const std::uint64_t> ranks) const {
  NodeSites part;
  part.box_ = box_;
  auto at = ranks.begin();
  for (const SiteRun& run : runs_) {
    for (std::uint64_t k = 0; k < run.sites; ++k) {
      at = std::lower_bound(at, ranks.end(), run.rank + k);
      part.add(run.rank + k, static_cast<std::uint64_t>(at - ranks.begin()), index(run.first + k));
    }
  }
  part.forget_plain_order();
  return part;
}

std::vector<std::uint64_t> NodeSites::ranks() const {
  std::vector<std::uint64_t> all;
  all.reserve(static_cast<std::size_t>(count_));
  for (const SiteRun& run : runs_) {
    for (std::uint64_t k = 0; k < run.sites; ++k) all.push_back(run.rank + k);
  }
  return all;
}

}  // namespace lq::compat::qio
