// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquettes of a row of sites at once: the links are stored number by number, so that each instruction processes the
// same number of several sites. Every instruction set gives the same bits as the loops of physics/su_n.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <limequat/field.hpp>

#include "kernels/isa/loops.hpp"

namespace lq::kernels {

using isa::PlaquetteRows;

constexpr std::size_t padded_sites(std::size_t sites) noexcept {
  return (sites + isa::row_lanes - 1) / isa::row_lanes * isa::row_lanes;
}

// Memory of rows, aligned so that the same number of eight sites crosses as few cache lines as possible.
struct alignas(isa::cache_line) RowLine {
  std::byte bytes[isa::cache_line];
};

// Memory for some lines, as it comes. Aligned allocations do not fit into the hole that the one before has left behind,
// so that a program that looks at many files would grow with each.
class RowMemory {
 public:
  explicit RowMemory(std::size_t lines)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>((lines + 1) * sizeof(RowLine))) {
    void* at = bytes_.get();
    std::size_t room = (lines + 1) * sizeof(RowLine);
    lines_ = static_cast<RowLine*>(std::align(alignof(RowLine), lines * sizeof(RowLine), at, room));
  }
  RowLine* get() const noexcept { return lines_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  RowLine* lines_;
};

// The lines of a row of sites with `numbers` numbers each; `numbers` is even.
inline std::size_t row_lines(Precision precision, std::size_t sites, std::size_t numbers) noexcept {
  return numbers * padded_sites(sites) * (precision == Precision::single ? sizeof(float) : sizeof(double)) /
         sizeof(RowLine);
}

// Converts `sites` sites that are contiguous in `memory` to a row of the same precision.
void to_row(Precision precision, const void* memory, std::size_t numbers, std::size_t sites, RowLine* row) noexcept;

// Number of terms per site that `terms` must hold: the planes, then the links.
inline std::size_t terms_of_site(std::size_t dimensions) noexcept { return dimensions * (dimensions + 1) / 2; }

// Re Tr / N of all plaquettes and links that begin at the sites of a row, padded_sites() values of each. If `along` is
// no dimension, no row is along one: then `above` has the neighbours in all of them.
void plaquette_terms(Precision precision, int colors, const PlaquetteRows& rows, double* terms) noexcept;

// For SU(2) and SU(3): for each link of the sites of a row the square of the largest |element| of U U^dagger - 1, and
// of |det U - 1|, padded_sites() values for each direction. Values after the last site are undefined.
void link_distances(Precision precision, int colors, const RowLine* row, std::size_t dimensions, std::size_t sites,
                    double* from_unitarity, double* from_one) noexcept;

// Replaces squares, padded_sites() of them, by their roots, those that are not a number by infinity. Returns the
// largest root.
double take_roots(double* squares, std::size_t count) noexcept;

// A sum of padded_sites() terms, up to 2^20, each rounded to steps of 2^-60.
struct FineSum {
  double high = 0, low = 0;  // whole numbers: units of 2^30 steps and single steps
};

// Empty if a term is larger than 2 or not a number, or if there are more terms.
std::optional<FineSum> sum_small_terms(const double* terms, std::size_t count) noexcept;

}  // namespace lq::kernels
