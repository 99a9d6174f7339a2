// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where in a sequence of sites a coordinate stands, for sequences that are made of digits: one after the other, each
// counts steps of some length along one dimension. One sequence over the whole lattice has a digit for each dimension;
// one written process by process has two, the coordinate within the process and that of the process.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq::diagnosis {

struct Digit {
  int dimension = 0;
  std::uint64_t count = 1;  // of values
  std::uint64_t step = 1;   // of the coordinate
  friend bool operator==(const Digit&, const Digit&) = default;
};

// Sites of one parity of x + y + z + t before those of the other, each in the order of the digits.
enum class Parity { none, even_first, odd_first };
std::string_view parity_name(Parity parity) noexcept;  // "", "even", "odd"

struct SiteMap {
  Extents extents;
  std::vector<Digit> digits;  // fastest first
  Parity parity = Parity::none;
  friend bool operator==(const SiteMap&, const SiteMap&) = default;
};

// One sequence over the lattice; `order` resolved.
SiteMap sequence_of(const Extents& extents, const SiteOrder& order, Parity parity = Parity::none);
// Process by process, x fastest within a process; `processes` divides the extents.
SiteMap processes_of(const Extents& extents, const Coord& processes, bool ranks_last_fastest);

std::uint64_t number_of(const SiteMap& map, const Coord& x) noexcept;
Coord site_of(const SiteMap& map, std::uint64_t number) noexcept;

}  // namespace lq::diagnosis
