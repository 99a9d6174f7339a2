// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of sites taken out of memory that does not hold them as files do, and given back to it: memory by description,
// and functions of the application. Sites come and go one behind the other, each in its natural form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <limequat/field.hpp>

#include "layouts/site_places.hpp"

namespace lq::layouts {

// Whether sites lie in `data` one behind the other in their natural form, in some order.
inline bool is_plain(const Field& field) noexcept {
  return !field.fetch && !field.fetch_rows && field.memory.is_plain();
}
inline bool is_plain(const MutableField& field) noexcept {
  return !field.store && !field.store_rows && field.memory.is_plain();
}
// Whether functions of the application are called for its sites, which its own thread alone may do.
inline bool has_function(const Field& field) noexcept { return field.fetch || field.fetch_rows; }
inline bool has_function(const MutableField& field) noexcept { return field.store || field.store_rows; }

// Where the arrays of a described field begin; of each, the numbers that it needs.
struct Arrays {
  std::vector<std::byte*> begin;
  std::uint64_t numbers = 0;
};

// Local. Of a field that is not plain; `box` is what the rank has. invalid_argument where the description does not fit,
// or an array is missing or lies in the memory of a GPU.
Arrays arrays_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box, const void* data);

class RowsOut {
 public:
  // `field` resolved and not plain, of the sites of `box` in the coordinates that take() is called with.
  RowsOut(const Field& field, const Box& box);
  // `sites` of them, at x and behind it along the axis, inside the box. Absent ones (of the parity that is not there)
  // are zeros.
  void take(const Coord& x, int axis, std::uint64_t sites, std::byte* out);

 private:
  Field field_;
  Box box_;
  std::optional<SitePlaces> places_;
  std::vector<std::byte*> arrays_;
};

class RowsIn {
 public:
  RowsIn(const MutableField& field, const Box& box);
  // Absent sites are passed over.
  void give(const Coord& x, int axis, std::uint64_t sites, const std::byte* in);

 private:
  MutableField field_;
  Box box_;
  std::optional<SitePlaces> places_;
  std::vector<std::byte*> arrays_;
};

}  // namespace lq::layouts
