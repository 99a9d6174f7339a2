// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A MemoryLayout held against the box of a rank: where each number of each site lies. That is a sum, of the place of
// the site and the place of the number in a site, so that rows of sites are moved without a look at the description.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <limequat/field.hpp>

namespace lq::layouts {

// Numbers of a site that lie side by side.
struct Stretch {
  int array = 0;             // which of the arrays, where directions have their own
  std::uint64_t number = 0;  // of the first, in the site as files and plain memory have it
  std::int64_t place = 0;    // of the first, counted from the place of the site
  std::uint64_t length = 0;
};

class SitePlaces {
 public:
  // `spec` resolved. invalid_argument says which number of the layout does not fit the box or the field.
  SitePlaces(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box);

  static constexpr std::int64_t absent = -1;  // of a site of the parity that is not there

  // Places of `places.size()` sites along an axis, the first at coordinate x of the box.
  void along(const Coord& x, int axis, std::span<std::int64_t> places) const noexcept;
  const std::vector<Stretch>& stretches() const noexcept { return stretches_; }
  int arrays() const noexcept { return arrays_; }
  // Numbers from the begin of an array to its end.
  std::uint64_t numbers_in_array() const noexcept { return numbers_in_array_; }

 private:
  void place_sites(const MemoryLayout& layout);
  void place_numbers(const MemoryLayout& layout, const FieldSpec& spec);
  void require_numbers(const MemoryLayout& layout, const FieldSpec& spec, std::uint64_t together) const;
  void place_parities(const MemoryLayout& layout, std::uint64_t together, std::uint64_t groups);
  void add(const Stretch& next);

  Extents box_;
  // Of sites without parities: the sum over the axes of what the coordinate adds.
  std::vector<std::vector<std::int64_t>> steps_;
  // With parities: number of the site, of which pairs follow one another.
  bool is_checkered_ = false;
  std::vector<std::uint64_t> strides_;
  std::int64_t parity_place_[2] = {0, 0};  // of the first site of each parity, or absent
  std::int64_t site_stride_ = 0;           // numbers from a site to the next
  std::uint64_t sites_ = 0;                // of a parity, with halo or padding
  std::uint64_t lanes_ = 1;
  std::uint64_t group_stride_ = 0;  // numbers from the links of a direction to those of the next
  std::vector<Stretch> stretches_;
  int arrays_ = 1;
  std::uint64_t numbers_in_array_ = 0;
};

}  // namespace lq::layouts
