// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Questions that each link answers alone: its trace, and how far it is from SU(N).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <limequat/grid.hpp>
#include <limequat/physics.hpp>

#include "physics/lattice_sum.hpp"

namespace lq::physics {

class LinkChecks {
 public:
  LinkChecks(const Grid& grid, int colors) : grid_(grid), colors_(colors) {}

  // Local. The links of one site; sites come in natural order.
  void add_traces(std::span<const double> links);
  void add_distances(std::uint64_t site, std::span<const double> links);

  // Local. What was seen of other sites of this rank.
  void add(const LinkChecks& others) noexcept;

  // Those of all ranks together, except where the worst link is.
  static constexpr std::size_t terms = 2 * LatticeSum::terms + 3;
  template <class Terms>
  void each_term(Terms&& combined) {
    traces_.each_term(combined);
    distances_.each_term(combined);
    largest_ = std::max(largest_, 0.0);
    combined.max(largest_);
    combined.max(largest_determinant_);
    combined.sum(far_links_);
  }

  // Of the checks of all ranks.
  double link_trace() const noexcept;
  // Collective. The same; `mine` are those of this rank.
  Unitarity unitarity(const LinkChecks& mine) const;

 private:
  std::uint64_t link_count() const noexcept;

  const Grid& grid_;
  int colors_ = 0;
  LatticeSum traces_, distances_;
  double largest_ = -1, largest_determinant_ = 0;
  std::uint64_t worst_site_ = 0;  // local
  int worst_link_ = 0;
  std::uint64_t far_links_ = 0;
};

}  // namespace lq::physics
