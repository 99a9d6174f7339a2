// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Loops over the stripes of sites, made for the lengths that layouts in use have.
#pragma once

#include <cstring>
#include <utility>

#include "layouts/bundles.hpp"

namespace lq::layouts {

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

// work(copy(to, from, bytes)): a matrix by columns, a pair or four of numbers of any precision, a matrix, a site.
template <class Work>
void with_copy(const Bundle& bundle, const Work& work) {
  switch (bundle.bytes_each) {
    case 4:
      return work(Fixed<4>{});
    case 8:
      return work(Fixed<8>{});
    case 16:
      return work(Fixed<16>{});
    case 32:
      return work(Fixed<32>{});
    case 72:
      return bundle.is_transposed ? work(Transposed<8>{}) : work(Fixed<72>{});
    case 144:
      return bundle.is_transposed ? work(Transposed<16>{}) : work(Fixed<144>{});
    case 576:
      return work(Fixed<576>{});
    default:
      return work(AnyLength{});
  }
}

// copy(memory, place in the row, bytes) for each stripe of a site, `offset` bytes from where that of place 0 lies.
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

}  // namespace lq::layouts
