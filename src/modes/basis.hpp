// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The whole modes and the blocks of a set with local coherence (formats/modes.md 6).
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include <limequat/modes.hpp>

namespace lq::modes {

// The blocks that contain the sites of a box.
Box cover_of(const Box& box, const Extents& block);

class Basis {
 public:
  // The basis of the set on the sites of the box, in coordinates of the lattice of the vectors.
  Basis(const Description& description, const Box& box);

  const Box& box() const noexcept { return box_; }
  const Box& cover() const noexcept { return cover_; }
  std::uint64_t size() const noexcept { return count_; }
  std::uint64_t numbers() const noexcept { return numbers_; }  // numbers of a vector on the sites of the box

  // Adds a mode, its sites x fastest; its numbers become those that are read back from the file.
  void add(std::span<const double> vector);
  // A block of the vector with these coefficients, one for each mode; the block number counts in the cover.
  void combine(std::uint64_t block, std::span<const std::complex<double>> coefficients, std::span<double> vector) const;
  // All of the vector, coefficients of each block of the cover, x fastest.
  void combine(std::span<const std::complex<double>> coefficients, std::span<double> vector) const;
  // Sums over the sites of a block, always in the same order: of mode j, conjugated, with mode i or with a vector; and
  // of the squares of a vector.
  std::complex<double> product(std::uint64_t block, std::uint64_t j, std::uint64_t i) const;
  std::complex<double> product(std::uint64_t block, std::uint64_t j, std::span<const double> vector) const;
  double square(std::uint64_t block, std::span<const double> vector) const;

 private:
  // Sites of a block that are consecutive in x.
  struct Row {
    std::uint64_t first = 0, count = 0;  // numbers, not sites
  };
  template <class Work>
  void for_each_row(std::uint64_t block, Work&& work) const;
  template <class Work>
  void with_mode(std::uint64_t j, const Work& work) const;
  template <class A, class B>
  std::complex<double> product(std::uint64_t block, const A* a, const B* b) const;

  Box box_, cover_;
  Extents block_;
  std::uint64_t site_numbers_, numbers_, count_ = 0;
  Storage storage_;
  std::vector<std::vector<float>> single_;  // only one of these is used
  std::vector<std::vector<double>> double_;
};

// The blocks of a set with local coherence (formats/modes.md 6), distributed over ranks as sites of a separate lattice,
// so that the coefficients of a mode are a field.

// Collective. Uses the process grid of the sites if it divides the blocks: then no site changes its rank.
Grid grid_of_blocks(const Grid& grid, const Description& description);
// The sites of a box, x fastest.
std::vector<Coord> list_of(const Box& box);

}  // namespace lq::modes
