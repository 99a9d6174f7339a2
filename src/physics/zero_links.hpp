// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Links all of whose numbers are 0: boundaries in time have them, and damage.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <limequat/grid.hpp>

namespace lq::physics {

struct ZeroLinks {
  std::uint64_t all = 0;
  // Of these, for each direction, in the first and in the last slice of the last dimension.
  std::array<std::uint64_t, max_dimensions> in_first_slice{}, in_last_slice{};

  // Local. The links of one local site of `grid`, counted in natural order.
  void add_site(const Grid& grid, std::uint64_t site, std::span<const double> links) noexcept;
  void add(const ZeroLinks& others) noexcept;

  static constexpr std::size_t terms = 1 + 2 * max_dimensions;
  template <class Terms>
  void each_term(Terms&& combined) {
    combined.sum(all);
    for (std::uint64_t& count : in_first_slice) combined.sum(count);
    for (std::uint64_t& count : in_last_slice) combined.sum(count);
  }

  // All are those that leave the last slice, and all of these are zero: open boundaries in time.
  bool leave_last_slice(const Extents& extents) const noexcept;
  // All fill the links of some directions in the first or the last slice: fixed boundaries, such as those of the
  // Schroedinger functional, which some programs store as zeros; but also what lost writes leave of whole slices.
  bool fill_boundaries(const Extents& extents) const noexcept;
};

}  // namespace lq::physics
