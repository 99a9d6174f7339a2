// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Some sites at a time: their places are worked out once and serve all stretches, stretch after stretch.
#include "layouts/rows.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::layouts {
namespace {

constexpr std::size_t sites_at_once = 64;

// copy(to, from) for each site that is there, in the memory of a stretch and in the row.
template <std::size_t bytes>
struct Fixed {
  void operator()(std::byte* to, const std::byte* from) const noexcept { std::memcpy(to, from, bytes); }
};
struct AnyLength {
  std::size_t bytes;
  void operator()(std::byte* to, const std::byte* from) const noexcept { std::memcpy(to, from, bytes); }
};

// Lengths of the layouts in use have loops of their own: a pair of numbers, four, a row, a link.
template <class Loop>
void with_length(std::size_t bytes, const Loop& loop) {
  switch (bytes) {
    case 8:
      return loop(Fixed<8>{});
    case 16:
      return loop(Fixed<16>{});
    case 32:
      return loop(Fixed<32>{});
    case 72:
      return loop(Fixed<72>{});
    case 144:
      return loop(Fixed<144>{});
    default:
      return loop(AnyLength{bytes});
  }
}

// One stretch of `places.size()` sites: work(its place in memory, its place in the row).
template <class Work>
void for_each_site(const std::byte* array, const Stretch& stretch, std::size_t number_bytes, std::size_t site_bytes,
                   std::span<const std::int64_t> places, const std::byte* row, const Work& work) {
  const auto width = static_cast<std::ptrdiff_t>(number_bytes);
  const std::byte* in_row = row + stretch.number * number_bytes;
  for (const std::int64_t place : places) {
    if (place != SitePlaces::absent) work(array + (place + stretch.place) * width, in_row);
    in_row += site_bytes;
  }
}

template <class Part>
void by_parts(const Coord& x, int axis, std::uint64_t sites, const Part& part) {
  Coord at = x;
  for (std::uint64_t done = 0; done < sites;) {
    const std::uint64_t some = std::min<std::uint64_t>(sites_at_once, sites - done);
    part(at, done, static_cast<std::size_t>(some));
    at[axis] += static_cast<std::int64_t>(some);
    done += some;
  }
}

Coord within(const Coord& x, const Box& box) {
  Coord inside = x;
  for (int d = 0; d < x.size(); ++d) inside[d] -= box.lower[d];
  return inside;
}

template <class Function>
void site_by_site(const Coord& x, int axis, std::uint64_t sites, const Function& function) {
  Coord at = x;
  for (std::uint64_t k = 0; k < sites; ++k, ++at[axis]) function(at, k);
}

}  // namespace

Arrays arrays_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box, const void* data) {
  const SitePlaces places(layout, spec, box);
  Arrays arrays{{}, places.numbers_in_array()};
  if (layout.links != LinkPlaces::in_arrays) {
    arrays.begin.push_back(static_cast<std::byte*>(const_cast<void*>(data)));
    return arrays;
  }
  for (int i = 0; i < places.arrays(); ++i) {
    void* const array = data == nullptr ? nullptr : static_cast<void* const*>(data)[i];
    if (array == nullptr) {
      throw Error(
          Code::invalid_argument,
          fmt::format("the array for direction {} of {} is missing: `data` points to as many pointers as a site "
                      "has links",
                      i, places.arrays()));
    }
    arrays.begin.push_back(static_cast<std::byte*>(array));
  }
  return arrays;
}

RowsOut::RowsOut(const Field& field, const Box& box) : field_(field), box_(box) {
  if (has_function(field) || box.volume() == 0) return;
  places_.emplace(field.memory, field.spec, box.extents);
  arrays_ = arrays_of(field.memory, field.spec, box.extents, field.data).begin;
}

void RowsOut::take(const Coord& x, int axis, std::uint64_t sites, std::byte* out) {
  const auto number_bytes = static_cast<std::size_t>(field_.spec.number_bytes());
  const auto site_bytes = static_cast<std::size_t>(field_.spec.site_bytes());
  if (field_.fetch_rows) return field_.fetch_rows(x, axis, sites, out);
  if (field_.fetch) {
    return site_by_site(x, axis, sites,
                        [&](const Coord& at, std::uint64_t k) { field_.fetch(at, out + k * site_bytes); });
  }
  by_parts(within(x, box_), axis, sites, [&](const Coord& at, std::uint64_t done, std::size_t some) {
    std::array<std::int64_t, sites_at_once> all;
    const std::span<std::int64_t> places(all.data(), some);
    places_->along(at, axis, places);
    std::byte* const row = out + done * site_bytes;
    if (field_.memory.parity >= ParityOrder::even_only) std::memset(row, 0, some * site_bytes);
    for (const Stretch& stretch : places_->stretches()) {
      with_length(stretch.length * number_bytes, [&](const auto& copy) {
        for_each_site(
            arrays_[static_cast<std::size_t>(stretch.array)], stretch, number_bytes, site_bytes, places, row,
            [&](const std::byte* memory, const std::byte* in_row) { copy(const_cast<std::byte*>(in_row), memory); });
      });
    }
  });
}

RowsIn::RowsIn(const MutableField& field, const Box& box) : field_(field), box_(box) {
  if (has_function(field) || box.volume() == 0) return;
  places_.emplace(field.memory, field.spec, box.extents);
  arrays_ = arrays_of(field.memory, field.spec, box.extents, field.data).begin;
}

void RowsIn::give(const Coord& x, int axis, std::uint64_t sites, const std::byte* in) {
  const auto number_bytes = static_cast<std::size_t>(field_.spec.number_bytes());
  const auto site_bytes = static_cast<std::size_t>(field_.spec.site_bytes());
  if (field_.store_rows) return field_.store_rows(x, axis, sites, in);
  if (field_.store) {
    return site_by_site(x, axis, sites,
                        [&](const Coord& at, std::uint64_t k) { field_.store(at, in + k * site_bytes); });
  }
  by_parts(within(x, box_), axis, sites, [&](const Coord& at, std::uint64_t done, std::size_t some) {
    std::array<std::int64_t, sites_at_once> all;
    const std::span<std::int64_t> places(all.data(), some);
    places_->along(at, axis, places);
    const std::byte* const row = in + done * site_bytes;
    for (const Stretch& stretch : places_->stretches()) {
      with_length(stretch.length * number_bytes, [&](const auto& copy) {
        for_each_site(
            arrays_[static_cast<std::size_t>(stretch.array)], stretch, number_bytes, site_bytes, places, row,
            [&](const std::byte* memory, const std::byte* in_row) { copy(const_cast<std::byte*>(memory), in_row); });
      });
    }
  });
}

}  // namespace lq::layouts
