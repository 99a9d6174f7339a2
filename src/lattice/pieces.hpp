// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An interval of one axis, cut where the digits of several parts have their boundaries: pieces that are nested loops
// over coordinates, along each of which every digit advances evenly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lq::lattice {

// Blocks of `unit` coordinates, one of them beginning at `origin`. Of each block only begin .. end-1 is wanted.
struct Cut {
  std::uint64_t unit = 1;
  std::int64_t origin = 0;
  std::uint64_t begin = 0, end = 0;
};

struct CoordinateLoop {
  std::uint64_t count = 1;
  std::int64_t step = 1;  // of the coordinate
};

struct AxisPiece {
  static constexpr std::size_t max_loops =
      8;  // a coordinate of 64 bits halved at every cut, and its digits in practice
  std::int64_t first = 0;
  std::array<CoordinateLoop, max_loops> loops{};  // slowest first
  std::size_t size = 0;
};

// The wanted coordinates of lower .. upper-1. Where cuts divide each other there are at most two pieces a cut and one;
// where they do not, one for each boundary.
std::vector<AxisPiece> pieces_of(std::int64_t lower, std::int64_t upper, std::vector<Cut> cuts);

}  // namespace lq::lattice
