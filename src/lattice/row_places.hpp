// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the sites of some rows lie in memory by description.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <limequat/field.hpp>

#include "lattice/row_walk.hpp"
#include "lattice/site_places.hpp"

namespace lq::lattice {

class RowPlaces {
 public:
  RowPlaces(const MemoryLayout& layout, const FieldSpec& spec, const Box& box);

  // At most the given number of sites at a time; more ask for memory.
  void reserve(std::uint64_t sites) { places_.reserve(static_cast<std::size_t>(sites * groups_)); }
  // The places of the sites of parts inside the box, one part after the other.
  void find(std::span<const RowPart> parts);

  const SitePlaces& rule() const noexcept { return rule_; }
  std::uint64_t groups() const noexcept { return groups_; }  // of places of a site
  std::uint64_t sites() const noexcept { return sites_; }    // that were found
  std::span<const std::int64_t> of_group(std::uint64_t group) const noexcept {
    return std::span(places_).subspan(static_cast<std::size_t>(group * sites_), static_cast<std::size_t>(sites_));
  }
  std::span<const std::int64_t> all() const noexcept { return places_; }  // group after group

 private:
  Box box_;
  SitePlaces rule_;
  std::uint64_t groups_ = 1;
  std::uint64_t sites_ = 0;
  std::vector<std::int64_t> places_;
};

}  // namespace lq::lattice
