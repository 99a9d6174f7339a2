// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of sites taken out of memory that does not hold them as files do, and given back to it: memory by description,
// and functions of the application. Sites come and go one behind the other, each in its natural form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

// Sites at x and behind it along the axis.
struct RowPart {
  Coord x;
  int axis = 0;
  std::uint64_t sites = 0;
};

// What lies side by side in memory and in a site, in bytes.
struct Stripe {
  std::byte* memory = nullptr;  // of the site whose place is 0
  std::size_t in_site = 0;
  std::size_t bytes = 0;
};

// Stripes that are moved together, site after site: few streams through memory at a time, and whole cache lines of
// rows.
struct Bundle {
  std::vector<Stripe> stripes;
  std::size_t bytes_each = 0;  // 0: they differ
};

// The sites of a box in memory by description.
class DescribedSites {
 public:
  DescribedSites() = default;  // of a field behind functions: none
  DescribedSites(const MemoryLayout& layout, const FieldSpec& spec, const Box& box, const void* data);

  const std::vector<Bundle>& bundles() const noexcept { return bundles_; }
  // Of all sites of the parts; good until the next call.
  std::span<const std::int64_t> places(std::span<const RowPart> parts);
  // How many bytes of sites are best taken at once.
  std::size_t best_bytes() const noexcept;

 private:
  Box box_;
  std::optional<SitePlaces> site_places_;
  std::vector<Bundle> bundles_;
  std::vector<std::int64_t> places_;
};

class RowsOut {
 public:
  // `field` resolved and not plain, of the sites of `box` in the coordinates that take() is called with.
  RowsOut(const Field& field, const Box& box);
  // Of parts inside the box, one part behind the other. Absent sites (of the parity that is not there) are zeros.
  void take(std::span<const RowPart> parts, std::byte* out);
  void take(const RowPart& part, std::byte* out) { take({&part, 1}, out); }
  std::size_t best_bytes() const noexcept { return sites_.best_bytes(); }

 private:
  Field field_;
  DescribedSites sites_;
};

class RowsIn {
 public:
  RowsIn(const MutableField& field, const Box& box);
  // Absent sites are passed over.
  void give(std::span<const RowPart> parts, const std::byte* in);
  void give(const RowPart& part, const std::byte* in) { give({&part, 1}, in); }
  std::size_t best_bytes() const noexcept { return sites_.best_bytes(); }

 private:
  MutableField field_;
  DescribedSites sites_;
};

}  // namespace lq::layouts
