// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Loops over the stripes of sites, specialised for the lengths in common layouts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "lattice/bundles.hpp"

namespace lq::lattice {

// Copies of known length, in lanes, because the code that compilers generate for longer ones has a slow start.
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
// Transposes a matrix of SU(3).
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

// Calls work(copy(to, from, bytes)) for: a matrix by columns, two or four numbers of any precision, a matrix, a site.
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

// Calls work(lanes, copy) for vectors of this many complex numbers, which are the stripes of a bundle: usual lengths as
// compile-time constants, or any.
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

// The stripes of a bundle if they are evenly spaced and equally long, by value, so that no store can change them.
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

// Calls copy(memory, place in the row, bytes) for each stripe of each site that is present.
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

// Stripes of a bundle that make at most a cache line of a row, moved for as many sites as make a cache line of each
// stripe's memory, mostly in squares. So each line of memory is visited once. In many layouts the stripes are a
// multiple of 64 KiB apart, so that lines evict each other from the caches before a second visit.

// `bytes`: size of a stripe.
template <std::size_t bytes>
class LineSquares {
 public:
  static constexpr std::size_t side = line_bytes / bytes;

  // `memory`: the first stripe of the first site of a run; its sites are `site_step` bytes apart. `next` is the address
  // after this run.
  LineSquares(const Bundle& bundle, std::byte* memory, std::ptrdiff_t site_step, std::uintptr_t next) noexcept
      : memory_(memory), site_step_(site_step), step_(bundle.step), stripes_(bundle.stripes.size()), next_(next) {}

  // Calls copy(loop, memory, place in the row, bytes) for each stripe of the sites of these numbers; `row` is the place
  // of the first stripe of site 0.
  template <class Byte, class Copy>
  void move(std::span<const std::size_t> sites, Byte* row, std::size_t site_bytes, const Copy& copy) {
    const bool is_dense = site_step_ == static_cast<std::ptrdiff_t>(bytes);
    const std::size_t before = (line_bytes - reinterpret_cast<std::uintptr_t>(memory_) % line_bytes) % line_bytes;
    for (std::size_t left = std::min(before / bytes, sites.size()); left > 0; --left) {
      move_one(sites, row, site_bytes, copy);
    }
    while (is_dense && sites.size() >= side) {
      fetch_ahead(sites.size() / side);
      move_square(sites, row, site_bytes, copy);
    }
    while (!sites.empty()) move_one(sites, row, site_bytes, copy);
  }

 private:
  // `left`: remaining squares of this run, including this one.
  void fetch_ahead(std::size_t left) const noexcept {
    constexpr std::size_t distance = 4;
    std::uintptr_t line = left > distance ? reinterpret_cast<std::uintptr_t>(memory_) + distance * line_bytes
                                          : next_ + (distance - left) * line_bytes;
    for (std::size_t k = 0; k < stripes_; ++k, line += static_cast<std::uintptr_t>(step_)) {
      __builtin_prefetch(reinterpret_cast<const void*>(line));
    }
  }

  template <class Byte, class Copy>
  void move_square(std::span<const std::size_t>& sites, Byte* row, std::size_t site_bytes, const Copy& copy) {
    Byte* rows[side];
    for (std::size_t s = 0; s < side; ++s) rows[s] = row + sites[s] * site_bytes;
    for (std::size_t k = 0; k < stripes_; ++k) {
      std::byte* const line = memory_ + static_cast<std::ptrdiff_t>(k) * step_;
#pragma GCC unroll 8
      for (std::size_t s = 0; s < side; ++s) copy(Fixed<bytes>{}, line + s * bytes, rows[s] + k * bytes, bytes);
    }
    memory_ += line_bytes;
    sites = sites.subspan(side);
  }

  template <class Byte, class Copy>
  void move_one(std::span<const std::size_t>& sites, Byte* row, std::size_t site_bytes, const Copy& copy) {
    Byte* const at = row + sites.front() * site_bytes;
    for (std::size_t k = 0; k < stripes_; ++k) {
      copy(Fixed<bytes>{}, memory_ + static_cast<std::ptrdiff_t>(k) * step_, at + k * bytes, bytes);
    }
    memory_ += site_step_;
    sites = sites.subspan(1);
  }

  std::byte* memory_;
  std::ptrdiff_t site_step_, step_;
  std::size_t stripes_;
  std::uintptr_t next_;
};

}  // namespace lq::lattice
