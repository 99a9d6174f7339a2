// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A run of consecutive sites of an ordered box as a few boxes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <limequat/lattice.hpp>

namespace lq::lattice {

// Disjoint boxes that together are the sites number first .. end-1 of `box` in the given (resolved) order: at most
// 2 d - 1 of them in d dimensions. `end` is not beyond the box's volume.
class BoxesOfInterval {
 public:
  BoxesOfInterval(std::uint64_t first, std::uint64_t end, const Box& box, const SiteOrder& order);
  std::size_t size() const noexcept { return count_; }
  const Box& operator[](std::size_t i) const noexcept { return boxes_[i]; }
  const Box* begin() const noexcept { return boxes_.data(); }
  const Box* end() const noexcept { return boxes_.data() + count_; }

 private:
  std::array<Box, 2 * max_dimensions> boxes_;
  std::size_t count_ = 0;
};

}  // namespace lq::lattice
