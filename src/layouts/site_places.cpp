// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layouts/site_places.hpp"

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "lattice/distribution.hpp"
#include "lattice/site_order.hpp"

namespace lq::layouts {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Code::invalid_argument, "the description of the memory has " + what);
}

void require_a_number_each(const std::vector<std::uint64_t>& numbers, const char* what, const Extents& box) {
  if (numbers.empty() || numbers.size() == static_cast<std::size_t>(box.size())) return;
  refuse(fmt::format("{} numbers for {}, but the lattice has {} dimensions", numbers.size(), what, box.size()));
}

void require_fit(const MemoryLayout& layout, const Extents& box) {
  require_a_number_each(layout.halo, "halo", box);
  require_a_number_each(layout.lanes, "lanes", box);
  if (layout.parity != ParityOrder::none && (!layout.halo.empty() || !layout.lanes.empty())) {
    refuse(fmt::format("parity together with {}; only one of them can be", layout.halo.empty() ? "lanes" : "halo"));
  }
  if (!layout.halo.empty() && !layout.lanes.empty()) refuse("halo together with lanes; only one of them can be");
  for (std::size_t d = 0; d < layout.lanes.size(); ++d) {
    const auto extent = static_cast<std::uint64_t>(box[static_cast<int>(d)]);
    if (layout.lanes[d] == 0 || extent % layout.lanes[d] != 0) {
      refuse(fmt::format("{} lanes in dimension {}, which do not divide the {} sites that the rank has there",
                         layout.lanes[d], d, extent));
    }
  }
}

// The parity, counted in the box, that comes first or is there alone.
int first_parity(const MemoryLayout& layout) {
  const bool odd = layout.parity == ParityOrder::odd_first || layout.parity == ParityOrder::odd_only;
  return (odd ? 1 : 0) ^ (layout.corner_parity & 1);
}

lattice::Index index_of(const Extents& box) {
  lattice::Index extents = lattice::Index::filled(box.size(), 1);
  for (int d = 0; d < box.size(); ++d) extents[d] = box[d];
  return extents;
}

// Sites in the order of memory, lanes of a vector being neighbours.
lattice::Part part_of(const MemoryLayout& layout, const SiteOrder& order, const Extents& box) {
  lattice::Distribution sites(index_of(box));
  for (const int d : order) {
    if (layout.lanes.empty()) break;
    sites.lay_digit(d, static_cast<std::uint64_t>(box[d]) / layout.lanes[static_cast<std::size_t>(d)],
                    layout.lanes[static_cast<std::size_t>(d)]);
  }
  for (const int d : order) {
    const auto axis = static_cast<std::size_t>(d);
    if (!layout.lanes.empty()) {
      sites.lay_digit(d, 1, static_cast<std::uint64_t>(box[d]) / layout.lanes[axis]);
    } else if (!layout.halo.empty()) {
      sites.lay_padded(d, layout.halo[axis], layout.halo[axis]);
    } else {
      sites.lay(d);
    }
  }
  return sites.part(0);
}

std::uint64_t padded_volume(const MemoryLayout& layout, const Extents& box) {
  std::uint64_t volume = 1;
  for (int d = 0; d < box.size(); ++d) {
    const std::uint64_t halo = layout.halo.empty() ? 0 : layout.halo[static_cast<std::size_t>(d)];
    if (halo >> 62 != 0) refuse(fmt::format("a halo of {} sites", halo));
    volume = base::multiply_or_throw(volume, static_cast<std::uint64_t>(box[d]) + 2 * halo, "the sites in memory");
  }
  return volume;
}

// The number in a matrix by rows of what is number i of it by columns.
std::uint64_t transposed(std::uint64_t i, int colors) {
  const auto n = static_cast<std::uint64_t>(colors);
  const std::uint64_t column = i / (2 * n), row = i / 2 % n;
  return 2 * (row * n + column) + i % 2;
}

}  // namespace

SitePlaces::SitePlaces(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box) : box_(box) {
  require_fit(layout, box);
  if (spec.kind != FieldKind::gauge && (layout.links != LinkPlaces::in_site || !layout.directions.empty())) {
    refuse(fmt::format("places for the links of directions, but the field is a {} field", name(spec.kind)));
  }
  place_sites(layout);
  place_numbers(layout, spec);
}

// Counts sites; place_numbers() makes numbers of them.
void SitePlaces::place_sites(const MemoryLayout& layout) {
  const SiteOrder order = lattice::resolve_order(layout.order, box_.size());
  is_checkered_ = layout.parity != ParityOrder::none;
  const std::uint64_t volume = padded_volume(layout, box_);
  for (const std::uint64_t lanes : layout.lanes) lanes_ *= lanes;
  sites_ = base::add_or_throw(is_checkered_ ? volume / 2 + volume % 2 : volume, layout.padding, "the sites in memory");
  if (is_checkered_) {
    strides_.resize(static_cast<std::size_t>(box_.size()));
    std::uint64_t stride = 1;
    for (const int d : order) {
      strides_[static_cast<std::size_t>(d)] = stride;
      stride *= static_cast<std::uint64_t>(box_[d]);
    }
    return;
  }
  const lattice::Part part = part_of(layout, order, box_);
  for (int d = 0; d < box_.size(); ++d) {
    lattice::Index x = lattice::Index::filled(box_.size(), 0);
    const std::int64_t origin = part.position(x);
    std::vector<std::int64_t>& steps = steps_.emplace_back();
    // What all axes share is counted on the first.
    for (x[d] = 0; x[d] < box_[d]; ++x[d]) steps.push_back(part.position(x) - (d == 0 ? 0 : origin));
  }
}

// Refuses what cannot be said of the numbers of a field.
void SitePlaces::require_numbers(const MemoryLayout& layout, const FieldSpec& spec, std::uint64_t together) const {
  if (layout.columns_first && (spec.kind == FieldKind::generic || spec.kind == FieldKind::spinor)) {
    refuse(fmt::format("columns of color matrices first, but the field is a {} field", name(spec.kind)));
  }
  if (layout.block != 0 && together % layout.block != 0) {
    refuse(fmt::format("blocks of {} numbers, which do not divide the {} of a {}", layout.block, together,
                       layout.links == LinkPlaces::in_site ? "site" : "link"));
  }
  if (lanes_ > 1 && layout.block != 0) refuse("lanes together with blocks; only one of them can be");
  if (lanes_ > 1 && !spec.is_complex) refuse("lanes, but the numbers are real");
}

// Where parities and arrays begin, and how long they are.
void SitePlaces::place_parities(const MemoryLayout& layout, std::uint64_t together, std::uint64_t groups) {
  const bool is_alone = layout.parity == ParityOrder::even_only || layout.parity == ParityOrder::odd_only;
  group_stride_ = base::multiply_or_throw(sites_, together, "the numbers in memory");
  if (layout.links == LinkPlaces::in_arrays) {
    arrays_ = static_cast<int>(groups);
    groups = 1;
  }
  const std::uint64_t of_parity = base::multiply_or_throw(group_stride_, groups, "the numbers in memory");
  numbers_in_array_ = base::multiply_or_throw(of_parity, is_checkered_ && !is_alone ? 2 : 1, "the numbers in memory");
  if (numbers_in_array_ >> 59 != 0) throw Error(Code::too_large, "a description of more than 2^59 numbers of memory");
  const int first = first_parity(layout);
  parity_place_[first] = 0;
  parity_place_[1 - first] = is_alone ? absent : static_cast<std::int64_t>(of_parity);
}

void SitePlaces::place_numbers(const MemoryLayout& layout, const FieldSpec& spec) {
  const bool is_gauge = spec.kind == FieldKind::gauge, are_apart = layout.links != LinkPlaces::in_site;
  const std::uint64_t links = is_gauge ? static_cast<std::uint64_t>(spec.links) : 1, link = spec.numbers / links;
  const std::uint64_t together = are_apart ? link : spec.numbers, block = layout.block == 0 ? together : layout.block;
  require_numbers(layout, spec, together);
  place_parities(layout, together, are_apart ? links : 1);

  site_stride_ = static_cast<std::int64_t>(lanes_ > 1 ? together : block);
  const auto lanes = static_cast<std::int64_t>(lanes_);
  // What counted sites counts numbers now. Sites of a vector share their place but for the lane.
  for (auto& steps : steps_) {
    for (std::int64_t& step : steps) step = step / lanes * lanes * site_stride_ + step % lanes * 2;
  }

  const std::vector<int> directions = lattice::resolve_order(layout.directions, static_cast<int>(links));
  const std::uint64_t matrix = 2 * static_cast<std::uint64_t>(spec.colors) * static_cast<std::uint64_t>(spec.colors);
  for (std::uint64_t i = 0; i < spec.numbers; ++i) {
    const std::uint64_t direction = i / link, in_link = i % link, in_group = are_apart ? in_link : i;
    std::uint64_t number = static_cast<std::uint64_t>(directions[static_cast<std::size_t>(direction)]) * link + in_link;
    if (layout.columns_first) number = number - number % matrix + transposed(number % matrix, spec.colors);
    const std::uint64_t place =
        lanes_ > 1 ? in_group / 2 * 2 * lanes_ + in_group % 2 : in_group / block * block * sites_ + in_group % block;
    const bool has_array = layout.links == LinkPlaces::in_arrays;
    add({has_array ? static_cast<int>(direction) : 0, number,
         static_cast<std::int64_t>(place + (are_apart && !has_array ? direction * group_stride_ : 0)), 1});
  }
}

// Joins it to the one before where they are neighbours both in memory and in the site.
void SitePlaces::add(const Stretch& next) {
  if (!stretches_.empty()) {
    Stretch& last = stretches_.back();
    if (last.array == next.array && last.number + last.length == next.number &&
        last.place + static_cast<std::int64_t>(last.length) == next.place) {
      last.length += next.length;
      return;
    }
  }
  stretches_.push_back(next);
}

void SitePlaces::along(const Coord& x, int axis, std::span<std::int64_t> places) const noexcept {
  if (is_checkered_) {
    std::uint64_t site = 0;
    int parity = 0;
    for (int d = 0; d < box_.size(); ++d) {
      site += static_cast<std::uint64_t>(x[d]) * strides_[static_cast<std::size_t>(d)];
      parity ^= static_cast<int>(x[d] & 1);
    }
    const std::uint64_t stride = strides_[static_cast<std::size_t>(axis)];
    for (std::int64_t& place : places) {
      const std::int64_t first = parity_place_[parity];
      place = first == absent ? absent : first + static_cast<std::int64_t>(site / 2) * site_stride_;
      site += stride;
      parity ^= 1;
    }
    return;
  }
  std::int64_t fixed = 0;
  for (int d = 0; d < box_.size(); ++d) {
    if (d != axis) fixed += steps_[static_cast<std::size_t>(d)][static_cast<std::size_t>(x[d])];
  }
  const std::int64_t* const steps = steps_[static_cast<std::size_t>(axis)].data() + x[axis];
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = fixed + steps[k];
}

}  // namespace lq::layouts
