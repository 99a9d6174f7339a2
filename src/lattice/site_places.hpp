// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A MemoryLayout held against the box of a rank: where each number of each site lies. That is a sum, of the place of
// the site and the place of the number in a site, so that rows of sites are moved without a look at the description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include <limequat/field.hpp>

#include "lattice/distribution.hpp"

namespace lq::lattice {

// Tables of an application's own that say where its sites or links lie.

// Places from the first to after the last that the first `entries` of a table name. invalid_argument where it has
// fewer, names one twice, or one so far away that it can be none.
std::uint64_t places_needed(std::span<const std::uint64_t> table, std::uint64_t entries);

// Numbers of a site that lie side by side.
struct Stretch {
  int array = 0;             // which of the arrays, where directions have their own
  std::uint64_t group = 0;   // which of the site's places it is counted from
  std::uint64_t number = 0;  // of the first, in the site as files and plain memory have it
  std::int64_t place = 0;    // of the first, counted from the place of the site
  std::uint64_t length = 0;
  bool is_transposed = false;  // a matrix of SU(3) that lies there by columns
};

class SitePlaces {
 public:
  // `spec` resolved. invalid_argument says which number of the layout does not fit the box or the field.
  SitePlaces(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box);

  static constexpr std::int64_t absent = -1;  // of a site of the parity that is not there

  // Places of `places.size()` sites along an axis, the first at coordinate x of the box. Where links have places of
  // their own, those of one group of stretches.
  void along(const Coord& x, int axis, std::uint64_t group, std::span<std::int64_t> places) const noexcept;
  const std::vector<Stretch>& stretches() const noexcept { return stretches_; }
  int arrays() const noexcept { return arrays_; }  // without that of norms
  std::uint64_t lanes() const noexcept { return lanes_; }
  std::int64_t site_stride() const noexcept { return site_stride_; }
  // The place from which on sites are of the second of two parities in memory; 0 where there is but one.
  std::int64_t parted_at() const noexcept {
    return part_.checkerboard ? std::abs(part_.checkerboard->parity_stride) : 0;
  }
  // Numbers from the begin of an array to its end. invalid_argument where a table of places is none.
  std::uint64_t numbers_in_array() const;

 private:
  void place_sites(const MemoryLayout& layout);
  void place_numbers(const MemoryLayout& layout, const FieldSpec& spec);
  void require_numbers(const MemoryLayout& layout, const FieldSpec& spec, std::uint64_t together) const;
  void place_parities(const MemoryLayout& layout, std::uint64_t together, std::uint64_t groups);
  void count_numbers();
  void add(const Stretch& next);
  void along_by_table(const Coord& x, int axis, std::uint64_t group, std::span<std::int64_t> places) const noexcept;
  void along_in_turn(const Coord& x, int axis, std::span<std::int64_t> places) const noexcept;

  Extents box_;
  lattice::Part part_;  // positions of sites, which become places
  // Without parities: the sum over the axes of what the coordinate adds.
  std::vector<std::vector<std::int64_t>> steps_;
  std::span<const std::uint64_t> table_;  // of the application, in this order
  SiteOrder order_;
  std::uint64_t groups_ = 1;      // entries of a site
  std::int64_t site_stride_ = 0;  // numbers from a site to the next
  std::uint64_t sites_ = 0;       // of a parity, with halo or padding
  std::uint64_t lanes_ = 1;
  std::uint64_t group_stride_ = 0;  // numbers from the links of a direction to those of the next
  std::vector<Stretch> stretches_;
  int arrays_ = 1;
  std::uint64_t numbers_in_array_ = 0;
};

// Sites at hand sorted into runs whose places in memory are evenly spaced.

struct SiteRun {
  std::int64_t place = 0, step = 0;  // of the first of them; from each to the next
  std::size_t first = 0;             // where the numbers of its sites begin among those of all runs
  std::size_t last = 0, sites = 0;   // the number of the last of its sites, and how many they are
  std::int64_t end() const noexcept { return place + static_cast<std::int64_t>(sites) * step; }
};

class SiteRuns {
 public:
  // Memory for the given number of sites; more ask for it.
  void reserve(std::size_t sites) {
    runs_.reserve(sites);
    run_of_.reserve(sites);
    sites_.reserve(sites);
  }
  // Of sites at these places, except for absent ones. Those `dense` apart are neighbours in memory; where sites of two
  // parities take turns, `turns` is 2, else 1.
  void find(std::span<const std::int64_t> places, std::int64_t dense, std::size_t turns);

  std::span<const SiteRun> runs() const noexcept { return runs_; }
  // The numbers of its sites among those at hand.
  std::span<const std::size_t> sites_of(const SiteRun& run) const noexcept {
    return std::span(sites_).subspan(run.first, run.sites);
  }

 private:
  SiteRun* run_for(std::size_t site, std::int64_t place, std::int64_t dense, std::size_t turns) noexcept;
  void list_sites(std::span<const std::int64_t> places);

  std::vector<SiteRun> runs_;
  std::vector<std::size_t> run_of_;  // of each site at hand
  std::vector<std::size_t> sites_;   // run after run
};

}  // namespace lq::lattice
