// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Loops over the stripes of sites, made for the lengths that layouts in use have.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include "lattice/bundles.hpp"

namespace lq::lattice {

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

struct Number {
  std::size_t number;
  constexpr std::size_t operator()() const noexcept { return number; }
};

// work(lanes, copy) for vectors of so many complex numbers, which are the stripes of a bundle: of the usual lengths,
// which the compiler knows, or of any.
template <class Work>
void with_lanes(std::size_t lanes, const Bundle& bundle, const Work& work) {
  const auto with_number = [&](const auto& loop) {
    if (lanes == 2) return work(std::integral_constant<std::size_t, 2>{}, loop);
    if (lanes == 4) return work(std::integral_constant<std::size_t, 4>{}, loop);
    if (lanes == 8) return work(std::integral_constant<std::size_t, 8>{}, loop);
    work(Number{lanes}, loop);
  };
  if (bundle.bytes_each == 16) return with_number(Fixed<16>{});
  with_number(Fixed<8>{});
}

// The stripes of a bundle that are evenly spaced, as many each, by value: no store can change these.
struct EvenStripes {
  explicit EvenStripes(const Bundle& bundle) noexcept
      : memory(bundle.stripes.front().memory),
        in_site(bundle.stripes.front().in_site),
        count(bundle.stripes.size()),
        bytes(bundle.bytes_each),
        step(bundle.step) {}

  template <class Byte, class Copy>
  void operator()(std::ptrdiff_t offset, Byte* row, const Copy& copy) const {
    std::byte* at = memory + offset;
    row += in_site;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < count; ++k, at += step, row += bytes) copy(at, row, bytes);
  }

  std::byte* memory;
  std::size_t in_site, count, bytes;
  std::ptrdiff_t step;
};

struct AnyStripes {
  template <class Byte, class Copy>
  void operator()(std::ptrdiff_t offset, Byte* row, const Copy& copy) const {
    for (const Stripe& stripe : bundle.stripes) copy(stripe.memory + offset, row + stripe.in_site, stripe.bytes);
  }
  const Bundle& bundle;
};

// copy(memory, place in the row, bytes) for each stripe of each site that is there.
template <class Byte, class Copy>
void for_each_stripe(const Bundle& bundle, std::span<const std::int64_t> places, std::size_t number_bytes,
                     std::size_t site_bytes, Byte* row, const Copy& copy) {
  const auto width = static_cast<std::ptrdiff_t>(number_bytes);
  const auto go = [&](const auto stripes) {
    Byte* at = row;
    for (const std::int64_t place : places) {
      if (place != SitePlaces::absent) stripes(place * width, at, copy);
      at += site_bytes;
    }
  };
  if (bundle.step != 0) return go(EvenStripes(bundle));
  go(AnyStripes{bundle});
}

}  // namespace lq::lattice
