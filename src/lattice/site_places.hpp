// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A MemoryLayout applied to the box of a rank: the place of each number of each site. It is the sum of the place of the
// site and the place of the number in a site, so that rows of sites are moved without looking at the description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include <limequat/field.hpp>

#include "lattice/distribution.hpp"

namespace lq::lattice {

// Tables of an application that contain the places of its sites or links.

// The number of places that the first `entries` of a table span. invalid_argument if it has fewer entries, repeats a
// place, or contains one that is implausibly large.
std::uint64_t places_needed(std::span<const std::uint64_t> table, std::uint64_t entries);

// Numbers of a site that are contiguous.
struct NumberRun {
  int array = 0;             // array, if directions have separate arrays
  std::uint64_t group = 0;   // the place of the site from which it is counted
  std::uint64_t number = 0;  // of the first, in the order of files and plain memory
  std::int64_t place = 0;    // of the first, relative to the place of the site
  std::uint64_t length = 0;
  bool is_transposed = false;  // an SU(3) matrix stored by columns
};

class SitePlaces {
 public:
  // `spec` is resolved. invalid_argument names the number of the layout that does not fit the box or the field.
  SitePlaces(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box);

  static constexpr std::int64_t absent = -1;  // for a site of the parity that is not stored

  // Places of `places.size()` sites along an axis, the first at coordinate x of the box. If links have separate places,
  // those of one group of number_runs.
  void along(const Coord& x, int axis, std::uint64_t group, std::span<std::int64_t> places) const noexcept;
  const std::vector<NumberRun>& number_runs() const noexcept { return number_runs_; }
  int arrays() const noexcept { return arrays_; }  // without the array of norms
  std::uint64_t lanes() const noexcept { return lanes_; }
  std::int64_t site_stride() const noexcept { return site_stride_; }
  // The first place of sites of the second parity in memory; 0 if there is only one.
  std::int64_t parted_at() const noexcept {
    return part_.checkerboard ? std::abs(part_.checkerboard->parity_stride) : 0;
  }
  // Length of an array in numbers. invalid_argument if a table of places is invalid.
  std::uint64_t numbers_in_array() const;

 private:
  void place_sites(const MemoryLayout& layout);
  void place_numbers(const MemoryLayout& layout, const FieldSpec& spec);
  void require_numbers(const MemoryLayout& layout, const FieldSpec& spec, std::uint64_t together) const;
  void place_parities(const MemoryLayout& layout, std::uint64_t together, std::uint64_t groups);
  void count_numbers();
  void add(const NumberRun& next);
  void along_by_table(const Coord& x, int axis, std::uint64_t group, std::span<std::int64_t> places) const noexcept;
  void along_in_turn(const Coord& x, int axis, std::span<std::int64_t> places) const noexcept;

  Extents box_;
  lattice::Part part_;  // positions of sites, which become places
  // Without parities: the contribution of each coordinate, by axis; they are summed.
  std::vector<std::vector<std::int64_t>> steps_;
  std::span<const std::uint64_t> table_;  // of the application, in the order of the layout
  SiteOrder order_;
  std::uint64_t groups_ = 1;      // entries per site
  std::int64_t site_stride_ = 0;  // numbers from a site to the next
  std::uint64_t sites_ = 0;       // of one parity, with halo or padding
  std::uint64_t lanes_ = 1;
  std::uint64_t group_stride_ = 0;  // numbers from the links of a direction to those of the next
  std::vector<NumberRun> number_runs_;
  int arrays_ = 1;
  std::uint64_t numbers_in_array_ = 0;
};

// Sorts the current sites into runs whose places in memory are evenly spaced.

struct SiteRun {
  std::int64_t place = 0, step = 0;  // place of the first; distance to the next
  std::size_t first = 0;             // start of its site numbers among those of all runs
  std::size_t last = 0, sites = 0;   // number of its last site, and count
  std::int64_t end() const noexcept { return place + static_cast<std::int64_t>(sites) * step; }
};

class SiteRuns {
 public:
  // Memory for the given number of sites; more allocate.
  void reserve(std::size_t sites) {
    runs_.reserve(sites);
    run_of_.reserve(sites);
    sites_.reserve(sites);
  }
  // For sites at these places, except absent ones. Sites `dense` apart are neighbours in memory; `turns` is 2 if sites
  // of two parities alternate, else 1.
  void find(std::span<const std::int64_t> places, std::int64_t dense, std::size_t turns);

  std::span<const SiteRun> runs() const noexcept { return runs_; }
  // The numbers of its sites among the current ones.
  std::span<const std::size_t> sites_of(const SiteRun& run) const noexcept {
    return std::span(sites_).subspan(run.first, run.sites);
  }

 private:
  SiteRun* run_for(std::size_t site, std::int64_t place, std::int64_t dense, std::size_t turns) noexcept;
  void list_sites(std::span<const std::int64_t> places);

  std::vector<SiteRun> runs_;
  std::vector<std::size_t> run_of_;  // of each current site
  std::vector<std::size_t> sites_;   // run by run
};

}  // namespace lq::lattice
