// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/bundles.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lq::lattice {
namespace {

// Stripes that lie as close as this are one bundle: they share cache lines and pages.
constexpr std::int64_t close_bytes = 8192;

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

// One piece from its first stripe to its last, where there is nothing else between them.
void find_pieces(Bundle& bundle) {
  const auto before = [](const Stripe& a, const Stripe& b) { return a.memory < b.memory; };
  const auto [low, high] = std::minmax_element(bundle.stripes.begin(), bundle.stripes.end(), before);
  const auto bytes = static_cast<std::size_t>(high->memory - low->memory) + high->bytes;
  std::size_t of_stripes = 0;
  for (const Stripe& stripe : bundle.stripes) of_stripes += stripe.bytes;
  if (bytes == of_stripes) {
    bundle.pieces.push_back({low->memory, bytes});
  } else {
    for (const Stripe& stripe : bundle.stripes) bundle.pieces.push_back({stripe.memory, stripe.bytes});
  }
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

}  // namespace

std::vector<Bundle> bundles_of(const SitePlaces& places, std::span<std::byte* const> arrays, std::size_t number_bytes) {
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
    find_pieces(bundle);
    find_step(bundle);
    bundle.is_near = (close || has_own_places) && bundle.pieces.size() == 1;
  }
  return bundles;
}

}  // namespace lq::lattice
