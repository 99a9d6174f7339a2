// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of a rank in memory by description: moved by stripes, of which the description says where they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <limequat/field.hpp>

#include "base/memory_ahead.hpp"
#include "layouts/row_walk.hpp"
#include "layouts/site_places.hpp"

namespace lq::layouts {

// Where the arrays of a described field begin; of each, the numbers that it needs.
struct Arrays {
  std::vector<std::byte*> begin;
  std::uint64_t numbers = 0;
};

// Local. Of a field that is not plain; `box` is what the rank has. invalid_argument where the description does not fit,
// or an array is missing or lies in the memory of a GPU.
Arrays arrays_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box, const void* data);

// What lies side by side in memory and in a site, in bytes.
struct Stripe {
  std::byte* memory = nullptr;  // of the site whose place is 0
  std::size_t in_site = 0;
  std::size_t bytes = 0;
};

// Stripes that are moved together, site after site: few streams through memory at a time, and whole cache lines of
// rows.
struct Bundle {
  std::vector<Stripe> stripes{};
  std::size_t bytes_each = 0;  // 0: they differ
  std::ptrdiff_t step = 0;  // bytes from one to the next, where these are as many, and they are side by side in a site
  bool is_transposed = false;  // each is a matrix by columns
  std::uint64_t group = 0;     // of places
  std::byte* piece = nullptr;  // the memory that they lie in, of the site whose place is 0, where it is one piece
  std::size_t piece_bytes = 0;
};

// The sites of a box in memory by description.
class DescribedSites {
 public:
  DescribedSites() = default;  // of a field behind functions: none
  DescribedSites(const MemoryLayout& layout, const FieldSpec& spec, const Box& box, const void* data);

  // The sites of parts inside the box are next, one part behind the other. Answers which memory they lie in, but for
  // what comes in long streams, which processors fetch ahead by themselves.
  std::span<base::MemoryAhead> aim_at(std::span<const RowPart> parts);
  // These out of memory and into it.
  void take(std::byte* out);
  void give(const std::byte* in);
  // How many bytes of sites are best taken at once.
  std::size_t best_bytes() const noexcept;

 private:
  void find_places(std::span<const RowPart> parts);
  std::span<const std::int64_t> places(std::uint64_t group) const noexcept;
  template <class Byte, class Copy>
  void move(Byte* row, const Copy& copy);

  Box box_;
  std::optional<SitePlaces> site_places_;
  std::vector<Bundle> bundles_;
  std::uint64_t groups_ = 1;          // of places of a site
  std::uint64_t sites_ = 0;           // at hand
  std::vector<std::int64_t> places_;  // of them, group after group
  std::vector<base::MemoryAhead> ahead_;
  std::size_t number_bytes_ = 0, site_bytes_ = 0;
  bool has_absent_ = false;
};

}  // namespace lq::layouts
