// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Consecutive sites in some order of a box, as parts of its rows: the unit in which rows of sites are moved, a few at a
// time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/lattice.hpp>

#include "lattice/site_places.hpp"

namespace lq::lattice {

// Sites at x and after it along the axis.
struct RowPart {
  Coord x;
  int axis = 0;
  std::uint64_t sites = 0;
};

class RowWalk {
 public:
  // `order` is resolved. At most `most` sites at a time, but at least one. Iterating allocates no memory.
  RowWalk(const Box& box, const SiteOrder& order, std::uint64_t most);

  std::uint64_t most() const noexcept { return most_; }
  // Calls work(parts, sites of each before them, sites of each) for the `sites` sites from each x on, at most `most` of
  // them; the parts of the first x come first.
  template <class Work>
  void walk(std::span<Coord> x, std::uint64_t sites, Work&& work) {
    for (std::uint64_t done = 0; done < sites;) {
      const std::uint64_t some = std::min(sites - done, most_ / x.size());
      parts_.clear();
      for (Coord& at : x) take_parts(at, some);
      work(std::span<const RowPart>(parts_), done, some);
      done += some;
    }
  }
  template <class Work>
  void walk(Coord x, std::uint64_t sites, Work&& work) {
    walk(std::span(&x, 1), sites, work);
  }
  // From site number `begin` of the order on.
  template <class Work>
  void walk(std::uint64_t begin, std::uint64_t sites, Work&& work) {
    if (sites > 0) walk(site(begin), sites, work);
  }

 private:
  Coord site(std::uint64_t number) const noexcept;
  // Adds the parts of the given number of sites from x on; x becomes the next site.
  void take_parts(Coord& x, std::uint64_t sites) noexcept;

  Box box_;
  SiteOrder order_;
  std::uint64_t most_;
  std::vector<RowPart> parts_;
};

// The places of the sites of some rows in memory by description.

class RowPlaces {
 public:
  RowPlaces(const MemoryLayout& layout, const FieldSpec& spec, const Box& box);

  // At most the given number of sites at a time; more allocate memory.
  void reserve(std::uint64_t sites) { places_.reserve(static_cast<std::size_t>(sites * groups_)); }
  // The places of the sites of parts inside the box, one part after the other.
  void find(std::span<const RowPart> parts);

  const SitePlaces& rule() const noexcept { return rule_; }
  std::uint64_t groups() const noexcept { return groups_; }  // groups of places of a site
  std::uint64_t sites() const noexcept { return sites_; }    // number of sites found
  std::span<const std::int64_t> of_group(std::uint64_t group) const noexcept {
    return std::span(places_).subspan(static_cast<std::size_t>(group * sites_), static_cast<std::size_t>(sites_));
  }
  std::span<const std::int64_t> all() const noexcept { return places_; }  // group by group

 private:
  Box box_;
  SitePlaces rule_;
  std::uint64_t groups_ = 1;
  std::uint64_t sites_ = 0;
  std::vector<std::int64_t> places_;
};

}  // namespace lq::lattice
