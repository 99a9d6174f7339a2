// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The places of all sites of some rows are worked out once and serve all bundles, bundle after bundle.
#include "layouts/described_sites.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
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

// Copies of known length, in lanes: what compilers make of longer ones by themselves has a slow start.
template <std::size_t bytes>
struct Fixed {
  void operator()(std::byte* to, const std::byte* from, std::size_t) const noexcept {
    constexpr std::size_t lane = bytes < 16 ? bytes : 16;
    copy_lanes<lane>(to, from, std::make_index_sequence<bytes / lane>());
    if constexpr (bytes % lane != 0) std::memcpy(to + bytes - bytes % lane, from + bytes - bytes % lane, bytes % lane);
  }

 private:
  template <std::size_t lane, std::size_t... k>
  static void copy_lanes(std::byte* to, const std::byte* from, std::index_sequence<k...>) noexcept {
    (std::memcpy(to + k * lane, from + k * lane, lane), ...);
  }
};
struct AnyLength {
  void operator()(std::byte* to, const std::byte* from, std::size_t bytes) const noexcept {
    std::memcpy(to, from, bytes);
  }
};
// Rows and columns of a matrix of SU(3) exchanged.
template <std::size_t complex_bytes>
struct Transposed {
  void operator()(std::byte* to, const std::byte* from, std::size_t) const noexcept {
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        std::memcpy(to + (3 * row + column) * complex_bytes, from + (3 * column + row) * complex_bytes, complex_bytes);
      }
    }
  }
};

// Stripes of the layouts in use have loops of their own: matrices by columns, a complex number, a pair, four, a matrix,
// a site.
template <class Loop>
void with_copy(const Bundle& bundle, const Loop& loop) {
  switch (bundle.bytes_each) {
    case 8:
      return loop(Fixed<8>{});
    case 16:
      return loop(Fixed<16>{});
    case 32:
      return loop(Fixed<32>{});
    case 72:
      return bundle.is_transposed ? loop(Transposed<8>{}) : loop(Fixed<72>{});
    case 144:
      return bundle.is_transposed ? loop(Transposed<16>{}) : loop(Fixed<144>{});
    case 576:
      return loop(Fixed<576>{});
    default:
      return loop(AnyLength{});
  }
}

// copy(memory, place in the row, bytes) for each stripe of a site.
template <class Byte, class Copy>
void for_each_stripe_of_site(const Bundle& bundle, std::ptrdiff_t offset, Byte* row, const Copy& copy) {
  if (bundle.step == 0) {
    for (const Stripe& stripe : bundle.stripes) copy(stripe.memory + offset, row + stripe.in_site, stripe.bytes);
    return;
  }
  const std::size_t stripes = bundle.stripes.size(), bytes = bundle.bytes_each;
  std::byte* memory = bundle.stripes.front().memory + offset;
  row += bundle.stripes.front().in_site;
  for (std::size_t k = 0; k < stripes; ++k, memory += bundle.step, row += bytes) copy(memory, row, bytes);
}

// The same for each site that is there.
template <class Byte, class Copy>
void for_each_stripe(const Bundle& bundle, std::span<const std::int64_t> places, std::size_t number_bytes,
                     std::size_t site_bytes, Byte* row, const Copy& copy) {
  const auto width = static_cast<std::ptrdiff_t>(number_bytes);
  for (const std::int64_t place : places) {
    if (place != SitePlaces::absent) for_each_stripe_of_site(bundle, place * width, row, copy);
    row += site_bytes;
  }
}

// In equal lengths, which have loops of their own.
void make_equal(std::vector<Stretch>& stretches) {
  std::uint64_t length = 0;
  for (const Stretch& stretch : stretches) length = std::gcd(length, stretch.length);
  if (length < 8) return;
  std::vector<Stretch> equal;
  for (Stretch stretch : stretches) {
    for (std::uint64_t left = stretch.length; left > 0; left -= length) {
      stretch.length = length;
      equal.push_back(stretch);
      stretch.number += length;
      stretch.place += static_cast<std::int64_t>(length);
    }
  }
  stretches = std::move(equal);
}

bool is_close(const std::vector<Stretch>& stretches, std::size_t number_bytes) {
  const auto [low, high] = std::minmax_element(stretches.begin(), stretches.end(),
                                               [](const Stretch& a, const Stretch& b) { return a.place < b.place; });
  return stretches.front().array == stretches.back().array && stretches.front().group == stretches.back().group &&
         (high->place - low->place) * static_cast<std::int64_t>(number_bytes) < close_bytes;
}

// The memory from its first stripe to its last, where there is nothing else between them.
void find_piece(Bundle& bundle) {
  const auto before = [](const Stripe& a, const Stripe& b) { return a.memory < b.memory; };
  const auto [low, high] = std::minmax_element(bundle.stripes.begin(), bundle.stripes.end(), before);
  std::ptrdiff_t bytes = high->memory - low->memory + static_cast<std::ptrdiff_t>(high->bytes);
  for (const Stripe& stripe : bundle.stripes) bytes -= static_cast<std::ptrdiff_t>(stripe.bytes);
  if (bytes != 0) return;
  bundle.piece = low->memory;
  bundle.piece_bytes = static_cast<std::size_t>(high->memory - low->memory) + high->bytes;
}

// Whether they are as far apart in memory everywhere, and side by side in a site.
void find_step(Bundle& bundle) {
  const Stripe& first = bundle.stripes.front();
  if (bundle.stripes.size() < 2 || bundle.bytes_each == 0) return;
  const std::ptrdiff_t step = bundle.stripes[1].memory - first.memory;
  for (std::size_t k = 1; k < bundle.stripes.size(); ++k) {
    const Stripe &stripe = bundle.stripes[k], &before = bundle.stripes[k - 1];
    if (stripe.memory - before.memory != step || stripe.in_site - before.in_site != bundle.bytes_each) return;
  }
  bundle.step = step;
}

std::vector<Bundle> bundles_of(const SitePlaces& places, const std::vector<std::byte*>& arrays,
                               std::size_t number_bytes) {
  std::vector<Stretch> stretches = places.stretches();
  const bool close = is_close(stretches, number_bytes), has_own_places = stretches.back().group > 0;
  if (close && !stretches.front().is_transposed) make_equal(stretches);
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.number < b.number; });
  std::vector<Bundle> bundles;
  std::size_t held = 0;
  for (const Stretch& stretch : stretches) {
    const Stripe stripe{
        arrays[static_cast<std::size_t>(stretch.array)] + stretch.place * static_cast<std::ptrdiff_t>(number_bytes),
        static_cast<std::size_t>(stretch.number) * number_bytes,
        static_cast<std::size_t>(stretch.length) * number_bytes};
    if (bundles.empty() || stretch.group != bundles.back().group || (!close && held + stripe.bytes > line_bytes)) {
      bundles.push_back({.bytes_each = stripe.bytes, .is_transposed = stretch.is_transposed, .group = stretch.group});
      held = 0;
    }
    Bundle& bundle = bundles.back();
    if (bundle.bytes_each != stripe.bytes) bundle.bytes_each = 0;
    bundle.stripes.push_back(stripe);
    held += stripe.bytes;
  }
  for (Bundle& bundle : bundles) {
    if (close || has_own_places) find_piece(bundle);
    find_step(bundle);
  }
  return bundles;
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

}  // namespace

Arrays arrays_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box, const void* data) {
  const SitePlaces places(layout, spec, box);
  return {begins_of(places, layout, data), places.numbers_in_array()};
}

DescribedSites::DescribedSites(const MemoryLayout& layout, const FieldSpec& spec, const Box& box, const void* data)
    : box_(box),
      site_places_(std::in_place, layout, spec, box.extents),
      number_bytes_(static_cast<std::size_t>(spec.number_bytes())),
      site_bytes_(static_cast<std::size_t>(spec.site_bytes())),
      has_absent_(layout.parity >= ParityOrder::even_only) {
  bundles_ = bundles_of(*site_places_, begins_of(*site_places_, layout, data), number_bytes_);
  for (const Bundle& bundle : bundles_) groups_ = std::max(groups_, bundle.group + 1);
  places_.reserve((best_bytes() / site_bytes_ + 1) * static_cast<std::size_t>(groups_));
  ahead_.reserve(bundles_.size());
}

// Many bundles of short stripes mean many streams through memory.
std::size_t DescribedSites::best_bytes() const noexcept {
  const bool has_streams = bundles_.size() > 1 && bundles_.front().stripes.size() > 1;
  return has_streams ? far_bytes : near_bytes;
}

std::span<const std::int64_t> DescribedSites::places(std::uint64_t group) const noexcept {
  return std::span(places_).subspan(static_cast<std::size_t>(group * sites_), static_cast<std::size_t>(sites_));
}

void DescribedSites::find_places(std::span<const RowPart> parts) {
  places_.resize(static_cast<std::size_t>(groups_ * sites_));
  std::span<std::int64_t> left(places_);
  for (std::uint64_t group = 0; group < groups_; ++group) {
    for (const RowPart& part : parts) {
      Coord x = part.x;
      for (int d = 0; d < x.size(); ++d) x[d] -= box_.lower[d];
      site_places_->along(x, part.axis, group, left.first(static_cast<std::size_t>(part.sites)));
      left = left.subspan(static_cast<std::size_t>(part.sites));
    }
  }
}

std::span<base::MemoryAhead> DescribedSites::aim_at(std::span<const RowPart> parts) {
  sites_ = 0;
  for (const RowPart& part : parts) sites_ += part.sites;
  find_places(parts);
  ahead_.clear();
  for (const Bundle& bundle : bundles_) {
    if (bundle.piece == nullptr) continue;
    ahead_.push_back({reinterpret_cast<std::uintptr_t>(bundle.piece), bundle.piece_bytes, number_bytes_,
                      places(bundle.group).data(), static_cast<std::size_t>(sites_)});
  }
  return ahead_;
}

template <class Byte, class Copy>
void DescribedSites::move(Byte* row, const Copy& copy) {
  for (const Bundle& bundle : bundles_) {
    with_copy(bundle, [&](const auto& loop) {
      for_each_stripe(bundle, places(bundle.group), number_bytes_, site_bytes_, row,
                      [&](std::byte* memory, Byte* in_row, std::size_t bytes) { copy(loop, memory, in_row, bytes); });
    });
  }
}

void DescribedSites::take(std::byte* out) {
  if (has_absent_) std::memset(out, 0, static_cast<std::size_t>(sites_) * site_bytes_);
  move(out,
       [](const auto& loop, const std::byte* memory, std::byte* row, std::size_t bytes) { loop(row, memory, bytes); });
}

void DescribedSites::give(const std::byte* in) {
  move(in,
       [](const auto& loop, std::byte* memory, const std::byte* row, std::size_t bytes) { loop(memory, row, bytes); });
}

}  // namespace lq::layouts
