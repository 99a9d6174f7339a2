// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The places of all sites are worked out once and serve all bundles, bundle after bundle.
#include "layouts/rows.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::layouts {
namespace {

// Stripes that lie as close as this are one bundle: they share cache lines and pages.
constexpr std::int64_t close_bytes = 8192;
// Others are moved by so many bytes of a site at a time: a cache line of a row.
constexpr std::size_t line_bytes = 64;
// Sites taken at once: in the first cache level, or, where memory has many streams, longer pieces of each.
constexpr std::size_t near_bytes = 16384, far_bytes = 65536;

template <std::size_t bytes>
struct Fixed {
  void operator()(std::byte* to, const std::byte* from, std::size_t) const noexcept { std::memcpy(to, from, bytes); }
};
struct AnyLength {
  void operator()(std::byte* to, const std::byte* from, std::size_t bytes) const noexcept {
    std::memcpy(to, from, bytes);
  }
};

// Lengths of the layouts in use have loops of their own: a complex number, a pair, four, a matrix, a site.
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
      return loop(AnyLength{});
  }
}

// work(memory, place in the row, bytes) for each stripe of each site that is there.
template <class Byte, class Work>
void for_each_stripe(const Bundle& bundle, std::span<const std::int64_t> places, std::size_t number_bytes,
                     std::size_t site_bytes, Byte* row, const Work& work) {
  const auto width = static_cast<std::ptrdiff_t>(number_bytes);
  for (const std::int64_t place : places) {
    if (place != SitePlaces::absent) {
      const std::ptrdiff_t offset = place * width;
      for (const Stripe& stripe : bundle.stripes) work(stripe.memory + offset, row + stripe.in_site, stripe.bytes);
    }
    row += site_bytes;
  }
}

bool is_close(const std::vector<Stretch>& stretches, std::size_t number_bytes) {
  const auto [low, high] = std::minmax_element(stretches.begin(), stretches.end(),
                                               [](const Stretch& a, const Stretch& b) { return a.place < b.place; });
  return stretches.front().array == stretches.back().array &&
         (high->place - low->place) * static_cast<std::int64_t>(number_bytes) < close_bytes;
}

std::vector<Bundle> bundles_of(const SitePlaces& places, const std::vector<std::byte*>& arrays,
                               std::size_t number_bytes) {
  std::vector<Stretch> stretches = places.stretches();
  const bool close = is_close(stretches, number_bytes);
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.number < b.number; });
  std::vector<Bundle> bundles;
  std::size_t held = 0;
  for (const Stretch& stretch : stretches) {
    const Stripe stripe{
        arrays[static_cast<std::size_t>(stretch.array)] + stretch.place * static_cast<std::ptrdiff_t>(number_bytes),
        static_cast<std::size_t>(stretch.number) * number_bytes,
        static_cast<std::size_t>(stretch.length) * number_bytes};
    if (bundles.empty() || (!close && held + stripe.bytes > line_bytes)) {
      bundles.push_back({{}, stripe.bytes});
      held = 0;
    }
    Bundle& bundle = bundles.back();
    if (bundle.bytes_each != stripe.bytes) bundle.bytes_each = 0;
    bundle.stripes.push_back(stripe);
    held += stripe.bytes;
  }
  return bundles;
}

// work(x, number of the site) for each site of the parts.
template <class Work>
void for_each_site(std::span<const RowPart> parts, const Work& work) {
  std::uint64_t number = 0;
  for (const RowPart& part : parts) {
    Coord at = part.x;
    for (std::uint64_t k = 0; k < part.sites; ++k, ++at[part.axis]) work(at, number++);
  }
}

// work(part, number of its first site) for each part.
template <class Work>
void for_each_part(std::span<const RowPart> parts, const Work& work) {
  std::uint64_t number = 0;
  for (const RowPart& part : parts) {
    work(part, number);
    number += part.sites;
  }
}

std::vector<std::byte*> begins_of(const SitePlaces& places, const MemoryLayout& layout, const void* data) {
  std::vector<std::byte*> begins;
  if (layout.links != LinkPlaces::in_arrays) {
    begins.push_back(static_cast<std::byte*>(const_cast<void*>(data)));
    return begins;
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
    begins.push_back(static_cast<std::byte*>(array));
  }
  return begins;
}

// Of a field behind functions there are none.
template <class AnyField>
DescribedSites sites_of(const AnyField& field, const Box& box) {
  if (has_function(field) || box.volume() == 0) return {};
  return {field.memory, field.spec, box, field.data};
}

}  // namespace

Arrays arrays_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box, const void* data) {
  const SitePlaces places(layout, spec, box);
  return {begins_of(places, layout, data), places.numbers_in_array()};
}

DescribedSites::DescribedSites(const MemoryLayout& layout, const FieldSpec& spec, const Box& box, const void* data)
    : box_(box), site_places_(std::in_place, layout, spec, box.extents) {
  bundles_ =
      bundles_of(*site_places_, begins_of(*site_places_, layout, data), static_cast<std::size_t>(spec.number_bytes()));
  places_.reserve(best_bytes() / static_cast<std::size_t>(spec.site_bytes()) + 1);
}

// Many bundles of short stripes mean many streams through memory.
std::size_t DescribedSites::best_bytes() const noexcept {
  const bool has_streams = bundles_.size() > 1 && bundles_.front().stripes.size() > 1;
  return has_streams ? far_bytes : near_bytes;
}

std::span<const std::int64_t> DescribedSites::places(std::span<const RowPart> parts) {
  std::uint64_t all = 0;
  for (const RowPart& part : parts) all += part.sites;
  places_.resize(static_cast<std::size_t>(all));
  std::span<std::int64_t> left(places_);
  for (const RowPart& part : parts) {
    Coord x = part.x;
    for (int d = 0; d < x.size(); ++d) x[d] -= box_.lower[d];
    site_places_->along(x, part.axis, left.first(static_cast<std::size_t>(part.sites)));
    left = left.subspan(static_cast<std::size_t>(part.sites));
  }
  return places_;
}

RowsOut::RowsOut(const Field& field, const Box& box) : field_(field), sites_(sites_of(field, box)) {}

void RowsOut::take(std::span<const RowPart> parts, std::byte* out) {
  const auto number_bytes = static_cast<std::size_t>(field_.spec.number_bytes());
  const auto site_bytes = static_cast<std::size_t>(field_.spec.site_bytes());
  if (field_.fetch_rows) {
    return for_each_part(parts, [&](const RowPart& part, std::uint64_t first) {
      field_.fetch_rows(part.x, part.axis, part.sites, out + first * site_bytes);
    });
  }
  if (field_.fetch) {
    return for_each_site(parts, [&](const Coord& x, std::uint64_t k) { field_.fetch(x, out + k * site_bytes); });
  }
  const std::span<const std::int64_t> places = sites_.places(parts);
  if (field_.memory.parity >= ParityOrder::even_only) std::memset(out, 0, places.size() * site_bytes);
  for (const Bundle& bundle : sites_.bundles()) {
    with_length(bundle.bytes_each, [&](const auto& copy) {
      for_each_stripe(bundle, places, number_bytes, site_bytes, out,
                      [&](const std::byte* memory, std::byte* row, std::size_t bytes) { copy(row, memory, bytes); });
    });
  }
}

RowsIn::RowsIn(const MutableField& field, const Box& box) : field_(field), sites_(sites_of(field, box)) {}

void RowsIn::give(std::span<const RowPart> parts, const std::byte* in) {
  const auto number_bytes = static_cast<std::size_t>(field_.spec.number_bytes());
  const auto site_bytes = static_cast<std::size_t>(field_.spec.site_bytes());
  if (field_.store_rows) {
    return for_each_part(parts, [&](const RowPart& part, std::uint64_t first) {
      field_.store_rows(part.x, part.axis, part.sites, in + first * site_bytes);
    });
  }
  if (field_.store) {
    return for_each_site(parts, [&](const Coord& x, std::uint64_t k) { field_.store(x, in + k * site_bytes); });
  }
  const std::span<const std::int64_t> places = sites_.places(parts);
  for (const Bundle& bundle : sites_.bundles()) {
    with_length(bundle.bytes_each, [&](const auto& copy) {
      for_each_stripe(bundle, places, number_bytes, site_bytes, in,
                      [&](std::byte* memory, const std::byte* row, std::size_t bytes) { copy(memory, row, bytes); });
    });
  }
}

}  // namespace lq::layouts
