// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The place of every number of a field: its part, and its position in that part. A part is any separate container: a
// rank, a file of a set, one of four arrays, a tile, a time slice. Memories, files, process grids and views are all
// described in this way, and a transfer is the intersection of two descriptions (runs.hpp).
//
// A process grid cuts axes into blocks; in the memory of each rank the numbers are then stored with some axis fastest:
//
//   Distribution memory(Index(extents));
//   for (int d = 0; d < 4; ++d) memory.cut_into_blocks(d, processes[d]);
//   for (int d = 0; d < 4; ++d) memory.lay(d);
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq::lattice {

// How one part of a distribution (the memory of a rank, a file, one of four arrays, a tile, ...) stores its numbers.
// Coordinates are written in mixed radix; a position is a sum of digits, each with its stride.

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

// A digit with a constant value in the whole part.
struct FixedDigit {
  int axis = 0;
  std::uint64_t unit = 1;
  std::uint64_t radix = 2;
  std::uint64_t value = 0;
};

// Sites in even-odd order. Sites number 2k and 2k + 1 of the box, counted with the first of `axes` fastest, differ in
// parity (the sum of their coordinates modulo 2), even for odd extents: both have place k within their parity.
struct Checkerboard {
  std::vector<int> axes;
  std::int64_t pair_stride = 1;    // from one k to the next
  std::int64_t parity_stride = 0;  // from the even sites to the odd ones
};

struct Part {
  Index lower, extents;             // the bounding box of the numbers it holds
  Index origin;                     // origin of the digits
  std::vector<FixedDigit> fixed{};  // restrict it within that box
  std::optional<int> parity{};      // 0 or 1: only even or odd sites, by the sum over the axes of the checkerboard
  std::vector<Digit> digits{};
  std::optional<Checkerboard> checkerboard{};
  std::int64_t offset = 0;  // position of the origin

  // A box whose numbers are contiguous, with the axes in the given order from the fastest.
  static Part of_box(const Index& lower, const Index& extents, const std::vector<int>& order);

  bool holds(const Index& x) const noexcept;
  // Position of a number in the part.
  std::int64_t position(const Index& x) const noexcept;
};

// The place of a number.
struct Place {
  std::uint64_t part = 0;
  std::int64_t position = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

class Distribution {
 public:
  // One part with no digits placed yet. Extents of at least 1; their product fits 63 bits.
  explicit Distribution(const Index& extents);

  // Divide into more parts; those of the axis named first are neighbours. An axis that is cut again is cut within each
  // of the existing parts; units distributed there must fit those distributed before.
  Distribution& cut_into_blocks(int axis, std::uint64_t blocks);  // as even as possible, larger ones first
  // The part is given by (x / unit) mod `parts`.
  Distribution& cut_cyclically(int axis, std::uint64_t unit, std::uint64_t parts);
  // Only even (0) or odd (1) sites, by the sum over the axes of append_even_odd().
  Distribution& keep_parity(int parity);

  // Define the positions within a part, from the fastest digit to the slowest: the coordinate of an axis within the
  // part, or its digit (x / unit) mod radix. Each unit or radix must divide what it is applied to, in every part.
  Distribution& append_axis(int axis);
  Distribution& append_digit(int axis, std::uint64_t unit, std::uint64_t radix);
  // Extents with space around them (a halo): `before` and `behind` positions on either side of the axis.
  Distribution& append_padded(int axis, std::uint64_t before, std::uint64_t behind);
  // Sites in even-odd order: places k of both parities (Part); the parity is placed separately.
  Distribution& append_even_odd(std::vector<int> axes);
  Distribution& append_parity();  // of the same axes

  int axes() const noexcept { return extents_.size(); }
  const Index& extents() const noexcept { return extents_; }
  std::uint64_t parts() const noexcept { return parts_; }
  // invalid_argument if digits do not divide the extents of the part, or if an axis is not placed exactly once.
  Part part(std::uint64_t number) const;
  std::uint64_t part_of(const Index& x) const noexcept;
  Place place_of(const Index& x) const;
  // Number of positions of a part, including those that its digits leave unused.
  std::uint64_t positions(std::uint64_t number) const;

 private:
  enum class Cut { none, blocks, dealt };
  struct PartDigit {
    Cut cut = Cut::none;
    int axis = 0;
    std::uint64_t unit = 1, count = 1;
  };
  enum class Laid { axis, digit, padded, even_odd, parity };
  struct PositionDigit {
    Laid laid = Laid::axis;
    int axis = 0;
    std::uint64_t unit = 1, radix = 0;     // for a digit
    std::uint64_t before = 0, behind = 0;  // for a halo
  };
  class Layer;

  Distribution& cut(const PartDigit& digit);
  // Returns the value of a digit; `x` and `extent` become those within the part.
  static std::uint64_t take(const PartDigit& digit, std::uint64_t& x, std::uint64_t& extent) noexcept;
  std::pair<Part, std::uint64_t> lay_out(std::uint64_t number) const;

  Index extents_;
  std::vector<PartDigit> part_digits_;
  std::vector<PositionDigit> position_digits_;
  std::vector<int> checkered_;  // axes in even-odd order
  int kept_parity_ = -1;
  std::uint64_t parts_ = 1;
};

}  // namespace lq::lattice
