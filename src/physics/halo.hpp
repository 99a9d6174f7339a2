// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cells on which a rank computes: its local sites in natural order, then copies of sites of other ranks that are
// neighbours (or neighbours of neighbours around a corner), and the neighbour relations. A site that is needed in
// several places because the lattice is periodic has one cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/lattice.hpp>

#include "base/function_ref.hpp"
#include "lattice/site_exchange.hpp"

namespace lq::physics {

// Colours of sites such that neighbours differ, for any periodic lattice with extents of 2 and more: even and odd if
// all extents are even, else three colours. Links of one direction and one colour can be updated in any order.
class Colouring {
 public:
  // Every site has colour 0.
  Colouring() = default;
  explicit Colouring(const Extents& extents) : extents_(extents), colours_(2) {
    for (const auto extent : extents) {
      if (extent % 2 != 0) colours_ = 3;
    }
  }

  int colours() const noexcept { return colours_; }

  int colour_of(const Coord& x) const noexcept {
    std::int64_t sum = 0;
    for (int d = 0; d < extents_.size(); ++d) {
      // Along a ring of odd length colours alternate, except that the last site has the third colour.
      const bool closes_odd_ring = extents_[d] % 2 != 0 && x[d] == extents_[d] - 1;
      sum += closes_odd_ring ? 2 : x[d] % 2;
    }
    return static_cast<int>(sum % colours_);
  }

 private:
  Extents extents_;
  int colours_ = 1;
};

// The copies to keep: for plaquettes x+mu; for staples x+mu, x-nu and x-nu+mu; for loops these, x-mu-nu for clovers,
// and x+mu+nu, x+2mu and x+2mu+nu for loops with sides of two steps.
enum class Reach { plaquettes, staples, loops };

class Halo {
 public:
  static constexpr std::size_t no_cell = std::numeric_limits<std::size_t>::max();

  // Collective. `allocate` receives the number of cells as soon as it is known; its failure is thrown on all ranks.
  Halo(
      const Grid& grid, Reach reach, const Colouring& colouring = {},
      base::FunctionRef<void(std::size_t cells)> allocate = [](std::size_t) {});

  std::size_t local_cells() const noexcept { return local_cells_; }
  std::size_t cells() const noexcept { return local_cells_ + copies_.size(); }
  // Number in the whole lattice of the site in a cell.
  std::uint64_t site_rank(std::size_t cell) const noexcept;

  // The cell of the neighbour; no_cell if there is none. `down` needs Reach::staples or loops.
  std::size_t up(std::size_t cell, int mu) const noexcept { return up_[index(cell, mu)]; }
  std::size_t down(std::size_t cell, int mu) const noexcept { return down_[index(cell, mu)]; }

  // Collective. Refreshes the copies of the sites of one colour, in several arrays; each has `cell_bytes` for every
  // cell.
  void refresh(std::span<std::byte* const> arrays, std::size_t cell_bytes, int colour);

 private:
  enum class Step { up, down };
  std::size_t index(std::size_t cell, int mu) const noexcept {
    return cell * dimensions_ + static_cast<std::size_t>(mu);
  }
  Coord neighbour(Coord x, int mu, Step step) const noexcept;
  std::size_t cell_of(const Coord& x) const noexcept;
  std::size_t neighbour_cell(std::size_t cell, const Coord& x, int mu, Step step) const noexcept;
  void find_copies(Reach reach);
  void link_cells(Reach reach);
  std::vector<Coord> sites_to_copy(int colour) const;

  Extents extents_;
  Box box_;
  Colouring colouring_;
  std::size_t dimensions_ = 0;
  std::size_t local_cells_ = 0;
  SiteOrder natural_;
  std::vector<std::size_t> strides_;     // between local cells, by dimension
  std::vector<std::uint64_t> copies_;    // site ranks: by colour, then ascending
  std::vector<std::size_t> first_copy_;  // by colour, and the end
  std::vector<std::size_t> up_, down_;
  std::vector<lattice::SiteExchange> exchanges_;  // one for each colour
};

}  // namespace lq::physics
