// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/halo.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/interruption.hpp"
#include "lattice/site_order.hpp"

namespace lq::physics {

Halo::Halo(const Grid& grid, Reach reach, const Colouring& colouring,
           base::FunctionRef<void(std::size_t cells)> allocate)
    : extents_(grid.extents()),
      box_(grid.local_box()),
      colouring_(colouring),
      dimensions_(static_cast<std::size_t>(extents_.size())),
      local_cells_(grid.local_volume()) {
  // Runs with the first exchange, so that everything that may fail on one rank is agreed on together.
  const auto prepare = [&] {
    natural_ = lattice::resolve_order({}, extents_.size());
    std::size_t stride = 1;
    for (const auto extent : box_.extents) {
      strides_.push_back(stride);
      stride *= static_cast<std::size_t>(extent);
    }
    find_copies(reach);
    link_cells(reach);
    allocate(cells());
  };
  for (int colour = 0; colour < colouring_.colours(); ++colour) {
    lattice::SiteExchange exchange(grid, [&] {
      if (colour == 0) {
        exchanges_.reserve(static_cast<std::size_t>(colouring_.colours()));
        prepare();
      }
      return sites_to_copy(colour);
    });
    exchanges_.push_back(std::move(exchange));
  }
}

std::uint64_t Halo::site_rank(std::size_t cell) const noexcept {
  if (cell >= local_cells_) return copies_[cell - local_cells_];
  return lattice::site_rank(lattice::site_at(cell, box_, natural_), extents_);
}

Coord Halo::neighbour(Coord x, int mu, Step step) const noexcept {
  if (step == Step::up) {
    x[mu] = x[mu] + 1 == extents_[mu] ? 0 : x[mu] + 1;
  } else {
    x[mu] = x[mu] == 0 ? extents_[mu] - 1 : x[mu] - 1;
  }
  return x;
}

std::size_t Halo::cell_of(const Coord& x) const noexcept {
  if (box_.contains(x)) return lattice::site_number(x, box_, natural_);
  const auto colour = static_cast<std::size_t>(colouring_.colour_of(x));
  const std::uint64_t rank = lattice::site_rank(x, extents_);
  const std::uint64_t* begin = copies_.data() + first_copy_[colour];
  const std::uint64_t* end = copies_.data() + first_copy_[colour + 1];
  const std::uint64_t* found = std::lower_bound(begin, end, rank);
  if (found == end || *found != rank) return no_cell;
  return local_cells_ + static_cast<std::size_t>(found - copies_.data());
}

// Inside the box a neighbour is one stride away; only the surface needs a search.
std::size_t Halo::neighbour_cell(std::size_t cell, const Coord& x, int mu, Step step) const noexcept {
  const auto stride = strides_[static_cast<std::size_t>(mu)];
  if (step == Step::up && x[mu] + 1 < box_.lower[mu] + box_.extents[mu]) return cell + stride;
  if (step == Step::down && x[mu] > box_.lower[mu]) return cell - stride;
  return cell_of(neighbour(x, mu, step));
}

void Halo::find_copies(Reach reach) {
  std::vector<std::pair<int, std::uint64_t>> found;
  const auto want = [&](const Coord& x) {
    if (!box_.contains(x)) found.emplace_back(colouring_.colour_of(x), lattice::site_rank(x, extents_));
  };
  const auto want_for_loops = [&](const Coord& x, int mu) {
    const Coord above = neighbour(x, mu, Step::up), below = neighbour(x, mu, Step::down);
    const Coord further = neighbour(above, mu, Step::up);
    want(further);
    for (int nu = 0; nu < extents_.size(); ++nu) {
      if (nu == mu) continue;
      want(neighbour(above, nu, Step::up));
      want(neighbour(further, nu, Step::up));
      want(neighbour(below, nu, Step::down));
    }
  };
  Coord x = box_.lower;
  for (std::size_t cell = 0; cell < local_cells_; ++cell, lattice::advance(x, box_, natural_)) {
    base::throw_if_interrupted();
    for (int mu = 0; mu < extents_.size(); ++mu) {
      want(neighbour(x, mu, Step::up));
      if (reach == Reach::loops) want_for_loops(x, mu);
      if (reach == Reach::plaquettes) continue;
      const Coord below = neighbour(x, mu, Step::down);
      want(below);
      for (int nu = 0; nu < extents_.size(); ++nu) {
        if (nu != mu) want(neighbour(below, nu, Step::up));
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  first_copy_.assign(static_cast<std::size_t>(colouring_.colours()) + 1, 0);
  for (const auto& [colour, rank] : found) {
    copies_.push_back(rank);
    first_copy_[static_cast<std::size_t>(colour) + 1] = copies_.size();
  }
  for (std::size_t c = 1; c < first_copy_.size(); ++c) first_copy_[c] = std::max(first_copy_[c], first_copy_[c - 1]);
}

void Halo::link_cells(Reach reach) {
  const bool both_ways = reach != Reach::plaquettes;
  up_.resize((both_ways ? cells() : local_cells_) * dimensions_);
  down_.resize(both_ways ? up_.size() : 0);
  Coord x = box_.lower;
  for (std::size_t cell = 0; cell < local_cells_; ++cell, lattice::advance(x, box_, natural_)) {
    base::throw_if_interrupted();
    for (int mu = 0; mu < extents_.size(); ++mu) {
      up_[index(cell, mu)] = neighbour_cell(cell, x, mu, Step::up);
      if (both_ways) down_[index(cell, mu)] = neighbour_cell(cell, x, mu, Step::down);
    }
  }
  for (std::size_t cell = local_cells_; both_ways && cell < cells(); ++cell) {
    x = lattice::site_of_rank(site_rank(cell), extents_);
    for (int mu = 0; mu < extents_.size(); ++mu) {
      up_[index(cell, mu)] = cell_of(neighbour(x, mu, Step::up));
      down_[index(cell, mu)] = cell_of(neighbour(x, mu, Step::down));
    }
  }
}

std::vector<Coord> Halo::sites_to_copy(int colour) const {
  std::vector<Coord> sites;
  const auto c = static_cast<std::size_t>(colour);
  for (std::size_t i = first_copy_[c]; i < first_copy_[c + 1]; ++i) {
    sites.push_back(lattice::site_of_rank(copies_[i], extents_));
  }
  return sites;
}

void Halo::refresh(std::span<std::byte* const> arrays, std::size_t cell_bytes, int colour) {
  const auto c = static_cast<std::size_t>(colour);
  std::array<lattice::SiteExchange::Sites, max_dimensions> fields;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    fields[i] = {arrays[i], arrays[i] + (local_cells_ + first_copy_[c]) * cell_bytes};
  }
  exchanges_[c].exchange(std::span(fields).first(arrays.size()), cell_bytes);
}

}  // namespace lq::physics
