// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where one part of a distribution (the memory of a rank, a file, one of four arrays, a tile, ...) holds its numbers.
// Coordinates are written in mixed radix; a position is a sum of digits, each with its stride.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq::lattice {

// The coordinates of one number of a field: those of its site, then its place within the site (link, row, column,
// spin, real or imaginary, ...). Each of them is an axis.

inline constexpr int max_axes = 16;

class Index {
 public:
  constexpr Index() = default;
  Index(std::initializer_list<std::int64_t> values) noexcept {  // at most max_axes
    for (const std::int64_t value : values) values_[static_cast<std::size_t>(size_++)] = value;
  }
  explicit Index(const Coord& site) noexcept {
    for (const std::int64_t value : site) values_[static_cast<std::size_t>(size_++)] = value;
  }
  static Index filled(int axes, std::int64_t value) noexcept {
    Index index;
    for (; index.size_ < axes; ++index.size_) index[index.size_] = value;
    return index;
  }

  int size() const noexcept { return size_; }
  std::int64_t& operator[](int axis) noexcept { return values_[static_cast<std::size_t>(axis)]; }
  std::int64_t operator[](int axis) const noexcept { return values_[static_cast<std::size_t>(axis)]; }
  friend bool operator==(const Index&, const Index&) = default;

 private:
  std::array<std::int64_t, max_axes> values_{};
  int size_ = 0;
};

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
