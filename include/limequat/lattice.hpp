// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Values of lattice geometry: coordinates, extents, boxes, the order of sites. Extents are always
// given x, y, z, t (fastest dimension of the natural order first); all sizes are 64 bit.
#pragma once

#include <limequat/language.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/version.hpp>

namespace lq {

inline constexpr int max_dimensions = 8;

// Up to eight 64-bit integers, one per dimension: a site, extents, or a process grid.
class LQ_API Coord {
 public:
  constexpr Coord() = default;
  Coord(std::initializer_list<std::int64_t> values);        // invalid_argument if more than eight
  explicit Coord(std::span<const std::int64_t> values);     // invalid_argument if more than eight
  static Coord filled(int dimensions, std::int64_t value);  // every component `value`

  int size() const noexcept { return size_; }
  std::int64_t& operator[](int d) noexcept { return values_[static_cast<std::size_t>(d)]; }
  std::int64_t operator[](int d) const noexcept { return values_[static_cast<std::size_t>(d)]; }
  const std::int64_t* begin() const noexcept { return values_.data(); }
  const std::int64_t* end() const noexcept { return values_.data() + size_; }
  friend bool operator==(const Coord&, const Coord&) = default;

 private:
  std::array<std::int64_t, max_dimensions> values_{};
  int size_ = 0;
};

using Extents = Coord;

// Local. Product of the extents; too_large if it does not fit 63 bits, invalid_argument for a negative extent.
LQ_API std::uint64_t volume(const Extents& extents);

// Local. "8x8x8x16" for {8,8,8,16}, and back; invalid_argument names the offending text.
LQ_API std::string to_string(const Coord& coord);
LQ_API Extents parse_extents(std::string_view text);
// Local. "1,2,3,4" for the site {1,2,3,4}.
LQ_API std::string site_text(const Coord& site);

// A half-open box of sites: lower[d] <= x[d] < lower[d] + extents[d].
struct LQ_API Box {
  Coord lower;
  Extents extents;

  std::uint64_t volume() const { return lq::volume(extents); }
  bool empty() const { return volume() == 0; }
  bool contains(const Coord& x) const noexcept;
  friend bool operator==(const Box&, const Box&) = default;
};

// Local. The whole lattice as a box.
LQ_API Box whole(const Extents& extents);
// Local. The common sites; an empty box (extents 0) if there are none.
LQ_API Box intersect(const Box& a, const Box& b);

// The dimensions from fastest to slowest; empty means 0, 1, 2, ... (x runs fastest).
using SiteOrder = std::vector<int>;

}  // namespace lq
