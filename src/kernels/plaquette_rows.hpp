// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquettes of a row of sites at once: their links lie number by number, so that each instruction works on the same
// number of several sites. Every instruction set gives the bits that the loops of physics/su_n.hpp give.
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

// Memory of rows, in which no number of eight sites lies across more cache lines than it must.
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

// The lines of a row of sites of `numbers` numbers, an even one.
inline std::size_t row_lines(Precision precision, std::size_t sites, std::size_t numbers) noexcept {
  return numbers * padded_sites(sites) * (precision == Precision::single ? sizeof(float) : sizeof(double)) /
         sizeof(RowLine);
}

// `sites` sites that are contiguous in `memory` as a row of the same precision.
void to_row(Precision precision, const void* memory, std::size_t numbers, std::size_t sites, RowLine* row) noexcept;

// Of how many terms for each site there is room in `terms`: the planes, then the links.
inline std::size_t terms_of_site(std::size_t dimensions) noexcept { return dimensions * (dimensions + 1) / 2; }

// Re Tr / N of all plaquettes and links that begin at the sites of a row, padded_sites() of each. No dimension is along
// the row where `along` is none of them: then `above` has the neighbours in all.
void plaquette_terms(Precision precision, int colors, const PlaquetteRows& rows, double* terms) noexcept;

// Of SU(2) and SU(3): for each link of the sites of a row the square of the largest |element| of U U^dagger - 1, and of
// |det U - 1|, padded_sites() of each direction. What lies behind the last site means nothing.
void link_distances(Precision precision, int colors, const RowLine* row, std::size_t dimensions, std::size_t sites,
                    double* from_unitarity, double* from_one) noexcept;

// A sum of padded_sites() terms, up to 2^20, in steps of 2^-60, each of them rounded to these.
struct FineSum {
  double high = 0, low = 0;  // whole numbers, of 2^30 steps and of one
};

// Nothing if a term is beyond 2 or no number, or where there are more terms.
std::optional<FineSum> sum_small_terms(const double* terms, std::size_t count) noexcept;

}  // namespace lq::kernels
