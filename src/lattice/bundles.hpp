// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What lies side by side in described memory and in a site, and what of it is best moved together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/isa/loops.hpp"
#include "lattice/site_places.hpp"

namespace lq::lattice {

using kernels::isa::Stripe;

// Memory of stripes with nothing else between them.
struct Piece {
  std::byte* memory = nullptr;  // of the site whose place is 0
  std::size_t bytes = 0;
};

constexpr std::size_t line_bytes = 64;  // of a cache

// Stripes that are moved together, site after site: few streams through memory at a time, and whole cache lines of
// rows (stripes that are not close are moved by a cache line of a row at a time).
struct Bundle {
  std::vector<Stripe> stripes{};
  std::vector<Piece> pieces{};  // one of all stripes, or one of each
  std::size_t bytes_each = 0;   // 0: they differ
  std::ptrdiff_t step = 0;  // bytes from one to the next, where these are as many, and they are side by side in a site
  bool is_transposed = false;  // each is a matrix by columns
  bool is_near = false;        // it is worth to fetch it ahead; the rest comes in long streams, fetched by processors
  std::uint64_t group = 0;     // of places

  const Piece& piece_of(std::size_t stripe) const noexcept { return pieces[pieces.size() == 1 ? 0 : stripe]; }
};

// `arrays`: where they begin. `number_bytes`: of a number in memory.
std::vector<Bundle> bundles_of(const SitePlaces& places, std::span<std::byte* const> arrays, std::size_t number_bytes);

}  // namespace lq::lattice
