// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stripes of a bundle that make a cache line of a row, or less, moved by as many sites as make a cache line of each
// stripe's memory, in squares mostly. So each line of memory is gone over once. The stripes of many layouts are a
// multiple of 64 KiB apart, where lines push each other out of the caches before a second look.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lattice/stripe_loops.hpp"

namespace lq::lattice {

// `bytes`: of a stripe.
template <std::size_t bytes>
class LineSquares {
 public:
  static constexpr std::size_t side = line_bytes / bytes;

  // `memory`: the first stripe of the first site of a run, from each to the next of which there are `site_step` bytes.
  // Behind this run comes what is at `next`.
  LineSquares(const Bundle& bundle, std::byte* memory, std::ptrdiff_t site_step, std::uintptr_t next) noexcept
      : memory_(memory), site_step_(site_step), step_(bundle.step), stripes_(bundle.stripes.size()), next_(next) {}

  // copy(loop, memory, place in the row, bytes) for each stripe of the sites of these numbers; `row` is where the
  // first stripe of site 0 is.
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
  // `left`: squares of this run, this one among them.
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
