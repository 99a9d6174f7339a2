// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The places of all sites of some rows are worked out once and serve all bundles, bundle after bundle.
#include "layouts/described_sites.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

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
// Memory is fetched so far ahead of what is being moved.
constexpr std::size_t bytes_ahead = 2560;

template <std::size_t bytes>
struct Fixed {
  void operator()(std::byte* to, const std::byte* from, std::size_t) const noexcept { std::memcpy(to, from, bytes); }
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

template <bool writes>
void fetch(const std::byte* memory, std::size_t bytes) noexcept {
  // Addresses are integers, for they need not be of the bundle's array.
  const auto first = reinterpret_cast<std::uintptr_t>(memory) & ~std::uintptr_t{line_bytes - 1};
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(memory) + bytes;
  for (std::uintptr_t line = first; line < end; line += line_bytes) {
    __builtin_prefetch(reinterpret_cast<const void*>(line), writes ? 1 : 0);
  }
}

// copy(memory, place in the row, bytes) for each stripe of each site that is there.
template <bool writes, class Byte, class Copy>
void for_each_stripe(const Bundle& bundle, std::span<const std::int64_t> places, std::size_t number_bytes,
                     std::size_t site_bytes, Byte* row, const Copy& copy) {
  const auto width = static_cast<std::ptrdiff_t>(number_bytes);
  const std::size_t ahead = bundle.piece_bytes == 0 ? places.size() : bytes_ahead / bundle.piece_bytes + 1;
  for (std::size_t k = 0; k < places.size(); ++k, row += site_bytes) {
    if (k + ahead < places.size() && places[k + ahead] != SitePlaces::absent) {
      fetch<writes>(bundle.piece + places[k + ahead] * width, bundle.piece_bytes);
    }
    if (places[k] == SitePlaces::absent) continue;
    const std::ptrdiff_t offset = places[k] * width;
    for (const Stripe& stripe : bundle.stripes) copy(stripe.memory + offset, row + stripe.in_site, stripe.bytes);
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

// The memory from its first stripe to its last.
void find_piece(Bundle& bundle) {
  const auto before = [](const Stripe& a, const Stripe& b) { return a.memory < b.memory; };
  const auto [low, high] = std::minmax_element(bundle.stripes.begin(), bundle.stripes.end(), before);
  bundle.piece = low->memory;
  bundle.piece_bytes = static_cast<std::size_t>(high->memory - low->memory) + high->bytes;
}

std::vector<Bundle> bundles_of(const SitePlaces& places, const std::vector<std::byte*>& arrays,
                               std::size_t number_bytes) {
  std::vector<Stretch> stretches = places.stretches();
  const bool close = is_close(stretches, number_bytes);
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
    if (close || bundle.stripes.size() == 1) find_piece(bundle);
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
  places_.reserve(best_bytes() / site_bytes_ + 1);
}

// Many bundles of short stripes mean many streams through memory.
std::size_t DescribedSites::best_bytes() const noexcept {
  const bool has_streams = bundles_.size() > 1 && bundles_.front().stripes.size() > 1;
  return has_streams ? far_bytes : near_bytes;
}

// Of all sites of the parts.
void DescribedSites::find_places(std::span<const RowPart> parts, std::uint64_t group) {
  std::uint64_t all = 0;
  for (const RowPart& part : parts) all += part.sites;
  places_.resize(static_cast<std::size_t>(all));
  std::span<std::int64_t> left(places_);
  for (const RowPart& part : parts) {
    Coord x = part.x;
    for (int d = 0; d < x.size(); ++d) x[d] -= box_.lower[d];
    site_places_->along(x, part.axis, group, left.first(static_cast<std::size_t>(part.sites)));
    left = left.subspan(static_cast<std::size_t>(part.sites));
  }
}

template <bool writes, class Byte, class Copy>
void DescribedSites::move(std::span<const RowPart> parts, Byte* row, const Copy& copy) {
  const Bundle* before = nullptr;
  for (const Bundle& bundle : bundles_) {
    if (before == nullptr || before->group != bundle.group) find_places(parts, bundle.group);
    before = &bundle;
    with_copy(bundle, [&](const auto& loop) {
      for_each_stripe<writes>(
          bundle, places_, number_bytes_, site_bytes_, row,
          [&](std::byte* memory, Byte* in_row, std::size_t bytes) { copy(loop, memory, in_row, bytes); });
    });
  }
}

void DescribedSites::take(std::span<const RowPart> parts, std::byte* out) {
  if (has_absent_) {
    std::uint64_t sites = 0;
    for (const RowPart& part : parts) sites += part.sites;
    std::memset(out, 0, static_cast<std::size_t>(sites) * site_bytes_);
  }
  move<false>(parts, out, [](const auto& loop, const std::byte* memory, std::byte* row, std::size_t bytes) {
    loop(row, memory, bytes);
  });
}

void DescribedSites::give(std::span<const RowPart> parts, const std::byte* in) {
  move<true>(parts, in, [](const auto& loop, std::byte* memory, const std::byte* row, std::size_t bytes) {
    loop(memory, row, bytes);
  });
}

}  // namespace lq::layouts
