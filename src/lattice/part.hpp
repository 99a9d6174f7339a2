// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where one part of a distribution (the memory of a rank, a file, one of four arrays, a tile, ...) holds its numbers.
// Coordinates are written in mixed radix; a position is a sum of digits, each with its stride.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lattice/index.hpp"

namespace lq::lattice {

// (x / unit) mod radix of the coordinate on one axis, counted from the origin of the part. Radix 0: x / unit.
struct Digit {
  int axis = 0;
  std::uint64_t unit = 1;
  std::uint64_t radix = 0;
  std::int64_t stride = 1;  // positions from one value to the next
};

// A digit that has one value throughout the part.
struct FixedDigit {
  int axis = 0;
  std::uint64_t unit = 1;
  std::uint64_t radix = 2;
  std::uint64_t value = 0;
};

// Sites in even-odd order. Sites number 2k and 2k + 1 of the box, counted with the first of `axes` fastest, differ in
// parity (the sum of their coordinates modulo 2), also where extents are odd: both have place k among their own.
struct Checkerboard {
  std::vector<int> axes;
  std::int64_t pair_stride = 1;    // from one k to the next
  std::int64_t parity_stride = 0;  // from the even sites to the odd ones
};

struct Part {
  Index lower, extents;             // what it holds, as far as that is a box
  Index origin;                     // where digits count from
  std::vector<FixedDigit> fixed{};  // what it holds of that box
  std::optional<int> parity{};      // 0 or 1: only even or odd sites, by the sum over the axes of the checkerboard
  std::vector<Digit> digits{};
  std::optional<Checkerboard> checkerboard{};
  std::int64_t offset = 0;  // position of the origin

  // A box whose numbers lie one after the other, with the axes in the given order from the fastest.
  static Part of_box(const Index& lower, const Index& extents, const std::vector<int>& order);

  bool holds(const Index& x) const noexcept;
  // Of a number that it holds.
  std::int64_t position(const Index& x) const noexcept;
};

}  // namespace lq::lattice
