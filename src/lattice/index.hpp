// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The coordinates of one number of a field: those of its site, then its place within the site (link, row, column,
// spin, real or imaginary, ...). Each of them is an axis.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include <limequat/lattice.hpp>

namespace lq::lattice {

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

}  // namespace lq::lattice
