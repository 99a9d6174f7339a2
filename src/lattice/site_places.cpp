// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/site_places.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "lattice/site_order.hpp"

namespace lq::lattice {
namespace {

// Memory with more space per site than this is probably a table that was never filled, or a table of other numbers.
constexpr std::uint64_t most_room = 64;

[[noreturn]] void refuse_table(const std::string& why) {
  throw Error(Code::invalid_argument, "the table of places of the description of the memory " + why);
}

}  // namespace

std::uint64_t places_needed(std::span<const std::uint64_t> table, std::uint64_t entries) {
  if (table.size() < entries) refuse_table(fmt::format("has {} entries, but {} are needed", table.size(), entries));
  const std::uint64_t limit = base::multiply_or_throw(entries, most_room, "the places in a table");
  std::vector<bool> is_taken;
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::uint64_t place = table[static_cast<std::size_t>(i)];
    if (place >= limit) {
      refuse_table(
          fmt::format("has place {} in entry {}; expected less than {} for {} entries", place, i, limit, entries));
    }
    if (place >= is_taken.size()) is_taken.resize(static_cast<std::size_t>(place + place / 2 + 1));
    if (is_taken[static_cast<std::size_t>(place)]) {
      refuse_table(fmt::format("has place {} twice, the second time in entry {}", place, i));
    }
    is_taken[static_cast<std::size_t>(place)] = true;
  }
  std::uint64_t last = is_taken.size();
  while (last > 0 && !is_taken[static_cast<std::size_t>(last - 1)]) --last;
  return last;
}

namespace {

[[noreturn]] void refuse_memory(const std::string& what) {
  throw Error(Code::invalid_argument, "the description of the memory has " + what);
}

void require_a_number_each(const std::vector<std::uint64_t>& numbers, const char* what, const Extents& box) {
  if (numbers.empty() || numbers.size() == static_cast<std::size_t>(box.size())) return;
  refuse_memory(fmt::format("{} numbers for {}, but the lattice has {} dimensions", numbers.size(), what, box.size()));
}

void require_table(const MemoryLayout& layout) {
  if (layout.places == PlaceTable::none) {
    if (layout.table == nullptr) return;
    refuse_memory("a table of places, but does not state of what (places=)");
  }
  if (layout.table == nullptr || layout.table_entries == 0) {
    refuse_memory("places= for a table of the application, but no table is given; pass it with the description");
  }
  const bool has_rule = layout.parity != ParityOrder::none || !layout.halo.empty() || !layout.lanes.empty() ||
                        layout.block != 0 || layout.padding != 0 || layout.links == LinkPlaces::outermost;
  if (has_rule) refuse_memory("places= together with parity, halo, lanes, block, padding or links=outermost");
  if (layout.places == PlaceTable::of_links && layout.links != LinkPlaces::in_site) {
    refuse_memory("places=of-links together with links=; a table says where each of them is");
  }
}

void require_fit(const MemoryLayout& layout, const Extents& box) {
  require_table(layout);
  require_a_number_each(layout.halo, "halo", box);
  require_a_number_each(layout.lanes, "lanes", box);
  if (layout.parity != ParityOrder::none && (!layout.halo.empty() || !layout.lanes.empty())) {
    refuse_memory(
        fmt::format("parity together with {}; only one of them can be", layout.halo.empty() ? "lanes" : "halo"));
  }
  if (layout.norms != NormPlaces::none && (!layout.lanes.empty() || layout.places == PlaceTable::of_links)) {
    refuse_memory("norms together with lanes or places=of-links; a norm is of a site");
  }
  if (!layout.halo.empty() && !layout.lanes.empty()) refuse_memory("halo together with lanes; only one of them can be");
  for (std::size_t d = 0; d < layout.lanes.size(); ++d) {
    const auto extent = static_cast<std::uint64_t>(box[static_cast<int>(d)]);
    if (layout.lanes[d] == 0 || extent % layout.lanes[d] != 0) {
      refuse_memory(fmt::format("{} lanes in dimension {}, which do not divide the {} sites that the rank has there",
                                layout.lanes[d], d, extent));
    }
  }
}

// The parity, relative to the box, that comes first or is the only one.
int first_parity(const MemoryLayout& layout) {
  const bool odd = layout.parity == ParityOrder::odd_first || layout.parity == ParityOrder::odd_only;
  return (odd ? 1 : 0) ^ (layout.corner_parity & 1);
}

lattice::Index index_of(const Extents& box) {
  lattice::Index extents = lattice::Index::filled(box.size(), 1);
  for (int d = 0; d < box.size(); ++d) extents[d] = box[d];
  return extents;
}

bool has_one_parity(const MemoryLayout& layout) {
  return layout.parity == ParityOrder::even_only || layout.parity == ParityOrder::odd_only;
}

// Sites in the order of memory; lanes of a vector are neighbours.
lattice::Part part_of(const MemoryLayout& layout, const SiteOrder& order, const Extents& box) {
  lattice::Distribution sites(index_of(box));
  if (layout.parity != ParityOrder::none) {
    sites.append_even_odd(order);
    return (has_one_parity(layout) ? sites.keep_parity(first_parity(layout)) : sites.append_parity()).part(0);
  }
  for (const int d : order) {
    if (layout.lanes.empty()) break;
    sites.append_digit(d, static_cast<std::uint64_t>(box[d]) / layout.lanes[static_cast<std::size_t>(d)],
                       layout.lanes[static_cast<std::size_t>(d)]);
  }
  for (const int d : order) {
    const auto axis = static_cast<std::size_t>(d);
    if (!layout.lanes.empty()) {
      sites.append_digit(d, 1, static_cast<std::uint64_t>(box[d]) / layout.lanes[axis]);
    } else if (!layout.halo.empty()) {
      sites.append_padded(d, layout.halo[axis], layout.halo[axis]);
    } else {
      sites.append_axis(d);
    }
  }
  return sites.part(0);
}

std::uint64_t padded_volume(const MemoryLayout& layout, const Extents& box) {
  std::uint64_t volume = 1;
  for (int d = 0; d < box.size(); ++d) {
    const std::uint64_t halo = layout.halo.empty() ? 0 : layout.halo[static_cast<std::size_t>(d)];
    if (halo >> 62 != 0) refuse_memory(fmt::format("a halo of {} sites", halo));
    volume = base::multiply_or_throw(volume, static_cast<std::uint64_t>(box[d]) + 2 * halo, "the sites in memory");
  }
  return volume;
}

// The number in a matrix by rows of number i of the matrix by columns.
std::uint64_t transposed(std::uint64_t i, int colors) {
  const auto n = static_cast<std::uint64_t>(colors);
  const std::uint64_t column = i / (2 * n), row = i / 2 % n;
  return 2 * (row * n + column) + i % 2;
}

}  // namespace

SitePlaces::SitePlaces(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box)
    : box_(box), order_(lattice::resolve_order(layout.order, box.size())) {
  require_fit(layout, box);
  const bool has_links_apart = layout.links != LinkPlaces::in_site || layout.places == PlaceTable::of_links;
  if (spec.kind != FieldKind::gauge && (has_links_apart || !layout.directions.empty())) {
    refuse_memory(fmt::format("places for the links of directions, but the field is a {} field", name(spec.kind)));
  }
  place_sites(layout);
  place_numbers(layout, spec);
  count_numbers();
}

// Counts sites; count_numbers() converts them to numbers.
void SitePlaces::place_sites(const MemoryLayout& layout) {
  const std::uint64_t volume = padded_volume(layout, box_);
  for (const std::uint64_t lanes : layout.lanes) lanes_ *= lanes;
  const bool is_checkered = layout.parity != ParityOrder::none;
  sites_ = base::add_or_throw(is_checkered ? volume / 2 + volume % 2 : volume, layout.padding, "the sites in memory");
  if (layout.places == PlaceTable::none) {
    part_ = part_of(layout, order_, box_);
  } else {
    table_ = {layout.table, layout.table_entries};
  }
}

// From positions of sites to places. Sites of a vector share their place except for the lane.
void SitePlaces::count_numbers() {
  for (lattice::Digit& digit : part_.digits) {
    digit.stride *= digit.stride < static_cast<std::int64_t>(lanes_) ? 2 : site_stride_;
  }
  if (part_.checkerboard || !table_.empty()) return;
  part_.offset *= site_stride_;
  for (int d = 0; d < box_.size(); ++d) {
    lattice::Index x = lattice::Index::filled(box_.size(), 0);
    const std::int64_t origin = part_.position(x);
    std::vector<std::int64_t>& steps = steps_.emplace_back();
    // The common offset of all axes is counted on the first.
    for (x[d] = 0; x[d] < box_[d]; ++x[d]) steps.push_back(part_.position(x) - (d == 0 ? 0 : origin));
  }
}

// Rejects what is invalid for the numbers of a field.
void SitePlaces::require_numbers(const MemoryLayout& layout, const FieldSpec& spec, std::uint64_t together) const {
  if (layout.columns_first && (spec.kind == FieldKind::generic || spec.kind == FieldKind::spinor)) {
    refuse_memory(fmt::format("columns of color matrices first, but the field is a {} field", name(spec.kind)));
  }
  if (layout.block != 0 && together % layout.block != 0) {
    refuse_memory(fmt::format("blocks of {} numbers, which do not divide the {} of a {}", layout.block, together,
                              layout.links == LinkPlaces::in_site ? "site" : "link"));
  }
  if (layout.norms != NormPlaces::none && spec.precision != Precision::single) {
    refuse_memory(
        "norms, which go with half precision, but the field is of double precision; it is read and written as single "
        "precision");
  }
  if (lanes_ > 1 && layout.block != 0) refuse_memory("lanes together with blocks; only one of them can be");
  if (lanes_ > 1 && !spec.is_complex) refuse_memory("lanes, but the numbers are real");
}

// Offsets and lengths of parities and arrays.
void SitePlaces::place_parities(const MemoryLayout& layout, std::uint64_t together, std::uint64_t groups) {
  const bool has_both = layout.parity != ParityOrder::none && !has_one_parity(layout);
  group_stride_ = base::multiply_or_throw(sites_, together, "the numbers in memory");
  if (layout.links == LinkPlaces::in_arrays) {
    arrays_ = static_cast<int>(groups);
    groups = 1;
  }
  const std::uint64_t of_parity = base::multiply_or_throw(group_stride_, groups, "the numbers in memory");
  numbers_in_array_ = base::multiply_or_throw(of_parity, has_both ? 2 : 1, "the numbers in memory");
  if (numbers_in_array_ >> 59 != 0) throw Error(Code::too_large, "a description of more than 2^59 numbers of memory");
  if (!part_.checkerboard) return;
  part_.checkerboard->pair_stride = site_stride_;
  if (!has_both) return;
  const auto behind = static_cast<std::int64_t>(of_parity);
  part_.offset = first_parity(layout) == 0 ? 0 : behind;
  part_.checkerboard->parity_stride = first_parity(layout) == 0 ? behind : -behind;
}

void SitePlaces::place_numbers(const MemoryLayout& layout, const FieldSpec& spec) {
  const bool is_gauge = spec.kind == FieldKind::gauge, has_own_places = layout.places == PlaceTable::of_links;
  const bool are_apart = layout.links != LinkPlaces::in_site || has_own_places;
  const std::uint64_t links = is_gauge ? static_cast<std::uint64_t>(spec.links) : 1, link = spec.numbers / links;
  const std::uint64_t together = are_apart ? link : spec.numbers, block = layout.block == 0 ? together : layout.block;
  require_numbers(layout, spec, together);
  site_stride_ = static_cast<std::int64_t>(lanes_ > 1 ? together : block);
  place_parities(layout, together, are_apart ? links : 1);
  if (has_own_places) groups_ = links;

  const std::vector<int> directions = lattice::resolve_order(layout.directions, static_cast<int>(links));
  const std::uint64_t matrix = 2 * static_cast<std::uint64_t>(spec.colors) * static_cast<std::uint64_t>(spec.colors);
  const bool has_whole_matrices =
      layout.columns_first && spec.colors == 3 && lanes_ == 1 && layout.block == 0 && layout.norms == NormPlaces::none;
  const std::uint64_t length = has_whole_matrices ? matrix : 1;
  for (std::uint64_t i = 0; i < spec.numbers; i += length) {
    const std::uint64_t direction = i / link, in_link = i % link, in_group = are_apart ? in_link : i;
    std::uint64_t number = static_cast<std::uint64_t>(directions[static_cast<std::size_t>(direction)]) * link + in_link;
    if (layout.columns_first) number = number - number % matrix + transposed(number % matrix, spec.colors);
    const std::uint64_t place =
        lanes_ > 1 ? in_group / 2 * 2 * lanes_ + in_group % 2 : in_group / block * block * sites_ + in_group % block;
    const bool has_array = layout.links == LinkPlaces::in_arrays;
    const bool is_outermost = layout.links == LinkPlaces::outermost;
    add({has_array ? static_cast<int>(direction) : 0, has_own_places ? direction : 0, number,
         static_cast<std::int64_t>(place + (is_outermost ? direction * group_stride_ : 0)), length,
         has_whole_matrices});
  }
}

// Joins it to the previous one if they are neighbours both in memory and in the site.
void SitePlaces::add(const NumberRun& next) {
  if (!number_runs_.empty() && !next.is_transposed) {
    NumberRun& last = number_runs_.back();
    if (last.array == next.array && last.group == next.group && last.number + last.length == next.number &&
        last.place + static_cast<std::int64_t>(last.length) == next.place) {
      last.length += next.length;
      return;
    }
  }
  number_runs_.push_back(next);
}

std::uint64_t SitePlaces::numbers_in_array() const {
  if (table_.empty()) return numbers_in_array_;
  const std::uint64_t entries = base::multiply_or_throw(sites_, groups_, "the places in a table");
  return base::multiply_or_throw(places_needed(table_, entries), static_cast<std::uint64_t>(site_stride_),
                                 "the numbers in memory");
}

void SitePlaces::along(const Coord& x, int axis, std::uint64_t group, std::span<std::int64_t> places) const noexcept {
  if (!table_.empty()) return along_by_table(x, axis, group, places);
  if (part_.checkerboard) return along_in_turn(x, axis, places);
  std::int64_t fixed = 0;
  for (int d = 0; d < box_.size(); ++d) {
    if (d != axis) fixed += steps_[static_cast<std::size_t>(d)][static_cast<std::size_t>(x[d])];
  }
  const std::int64_t* const steps = steps_[static_cast<std::size_t>(axis)].data() + x[axis];
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = fixed + steps[k];
}

void SitePlaces::along_by_table(const Coord& x, int axis, std::uint64_t group,
                                std::span<std::int64_t> places) const noexcept {
  const Box box{Coord::filled(box_.size(), 0), box_};
  std::uint64_t stride = groups_, entry = lattice::site_number(x, box, order_) * groups_ + group;
  for (const int d : order_) {
    if (d == axis) break;
    stride *= static_cast<std::uint64_t>(box_[d]);
  }
  for (std::int64_t& place : places) {
    place = static_cast<std::int64_t>(table_[static_cast<std::size_t>(entry)]) * site_stride_;
    entry += stride;
  }
}

// Every other site of a row has the same parity, and these are evenly spaced: Part::position() without a division.
void SitePlaces::along_in_turn(const Coord& x, int axis, std::span<std::int64_t> places) const noexcept {
  std::int64_t number = 0, parity = 0, row_stride = 0, stride = 1;
  for (const int d : order_) {
    number += x[d] * stride;
    parity += x[d];
    if (d == axis) row_stride = stride;
    stride *= box_[d];
  }
  const lattice::Checkerboard& board = *part_.checkerboard;
  for (std::size_t first = 0; first < std::min<std::size_t>(places.size(), 2);
       ++first, ++parity, number += row_stride) {
    const bool is_there = !part_.parity || parity % 2 == *part_.parity;
    std::int64_t place = part_.offset + number / 2 * board.pair_stride + parity % 2 * board.parity_stride;
    for (std::size_t k = first; k < places.size(); k += 2, place += row_stride * board.pair_stride) {
      places[k] = is_there ? place : absent;
    }
  }
}

// A site continues one of the last two runs, one for each parity, or begins a new one.

SiteRun* SiteRuns::run_for(std::size_t site, std::int64_t place, std::int64_t dense, std::size_t turns) noexcept {
  const auto open = std::span(runs_).last(std::min<std::size_t>(runs_.size(), 2));
  for (SiteRun& run : open) {
    if (run.sites > 1 ? place == run.end() : place == run.place + dense) return &run;
  }
  for (SiteRun& run : open) {
    if (run.sites == 1 && run.last + turns == site) return &run;
  }
  return nullptr;
}

void SiteRuns::find(std::span<const std::int64_t> places, std::int64_t dense, std::size_t turns) {
  runs_.clear();
  run_of_.resize(places.size());
  for (std::size_t site = 0; site < places.size(); ++site) {
    if (places[site] == SitePlaces::absent) continue;
    SiteRun* run = run_for(site, places[site], dense, turns);
    if (run == nullptr) {
      run = &runs_.emplace_back(SiteRun{.place = places[site], .step = dense});
    } else if (run->sites == 1) {
      run->step = places[site] - run->place;
    }
    run->last = site;
    ++run->sites;
    run_of_[site] = static_cast<std::size_t>(run - runs_.data());
  }
  list_sites(places);
}

void SiteRuns::list_sites(std::span<const std::int64_t> places) {
  std::size_t all = 0;
  for (SiteRun& run : runs_) run.first = std::exchange(all, all + run.sites);
  sites_.resize(all);
  for (SiteRun& run : runs_) run.sites = 0;
  for (std::size_t site = 0; site < places.size(); ++site) {
    if (places[site] == SitePlaces::absent) continue;
    SiteRun& run = runs_[run_of_[site]];
    sites_[run.first + run.sites++] = site;
  }
}

}  // namespace lq::lattice
