// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where every number of a field lies: in which part, and at which position of it. A part is whatever keeps numbers
// apart: a rank, a file of a set, one of four arrays, a tile, a time slice. Memories, files, process grids and views
// are all described in this way, and a transfer is what two of them have in common (runs.hpp).
//
// A process grid cuts axes into blocks; the numbers of each rank then lie in its memory with some axis fastest:
//
//   Distribution memory(Index(extents));
//   for (int d = 0; d < 4; ++d) memory.cut_into_blocks(d, processes[d]);
//   for (int d = 0; d < 4; ++d) memory.lay(d);
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "lattice/part.hpp"

namespace lq::lattice {

// Where a number lies.
struct Place {
  std::uint64_t part = 0;
  std::int64_t position = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

class Distribution {
 public:
  // One part, in which nothing is laid yet. Extents of at least 1; their product fits 63 bits.
  explicit Distribution(const Index& extents);

  // More parts; those of the axis named first are neighbours. An axis that is cut again is cut within each of the parts
  // that there are; units that are dealt out there must fit those that were dealt out before.
  Distribution& cut_into_blocks(int axis, std::uint64_t blocks);  // as even as possible, larger ones first
  Distribution& cut_into_tiles(int axis, std::uint64_t extent);   // of that extent; the last may be smaller
  // (x / unit) mod `parts` tells the part.
  Distribution& deal(int axis, std::uint64_t unit, std::uint64_t parts);
  Distribution& keep_parity(int parity);  // only even (0) or odd (1) sites, by the sum over the axes of lay_even_odd()
  Distribution& split_parities();         // even sites in the first parts, odd ones in as many others

  // How positions run within a part, from the fastest digit to the slowest: each of the coordinates of an axis within
  // the part, or its digit (x / unit) mod radix. A unit or radix must divide what it is applied to in every part.
  Distribution& lay(int axis);
  Distribution& lay_digit(int axis, std::uint64_t unit, std::uint64_t radix);
  // Extents with room around them (a halo): `before` and `behind` positions on either side of the axis.
  Distribution& lay_padded(int axis, std::uint64_t before, std::uint64_t behind);
  // Sites in even-odd order: places k of both parities (part.hpp), of which the parity is laid separately.
  Distribution& lay_even_odd(std::vector<int> axes);
  Distribution& lay_parity();  // of the same axes

  int axes() const noexcept { return extents_.size(); }
  const Index& extents() const noexcept { return extents_; }
  std::uint64_t parts() const noexcept { return parts_; }
  // invalid_argument where digits do not divide the extents of the part, or an axis is not laid, or laid twice.
  Part part(std::uint64_t number) const;
  std::uint64_t part_of(const Index& x) const noexcept;
  Place place_of(const Index& x) const;
  // Of a part, counted with what its digits leave free.
  std::uint64_t positions(std::uint64_t number) const;

 private:
  enum class Cut { none, blocks, tiles, dealt };
  struct PartDigit {
    Cut cut = Cut::none;
    int axis = 0;
    std::uint64_t unit = 1, count = 1;
  };
  enum class Laid { axis, digit, padded, even_odd, parity };
  struct PositionDigit {
    Laid laid = Laid::axis;
    int axis = 0;
    std::uint64_t unit = 1, radix = 0;     // of a digit
    std::uint64_t before = 0, behind = 0;  // of a halo
  };
  class Layer;

  Distribution& cut(const PartDigit& digit);
  // The value of a digit; `x` and `extent` become those within the part.
  static std::uint64_t take(const PartDigit& digit, std::uint64_t& x, std::uint64_t& extent) noexcept;
  std::pair<Part, std::uint64_t> lay_out(std::uint64_t number) const;

  Index extents_;
  std::vector<PartDigit> part_digits_;
  std::vector<PositionDigit> position_digits_;
  std::vector<int> checkered_;  // axes in even-odd order
  bool parities_apart_ = false;
  int kept_parity_ = -1;
  std::uint64_t parts_ = 1;
};

}  // namespace lq::lattice
