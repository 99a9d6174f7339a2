// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquettes of a row of sites at once: their links lie number by number, so that each instruction works on the same
// number of several sites. Every instruction set gives the bits that the loops of physics/su_n.hpp give.
#pragma once

#include <cstddef>

#include <limequat/field.hpp>

#include "kernels/isa/loops.hpp"

namespace lq::kernels {

using PlaquetteRows = isa::PlaquetteRows;

// From one number of a row of `sites` sites to the next: there is room for one site more, which is the first one again
// for those who look at the neighbour, and for what instructions read beyond it.
std::size_t row_stride(std::size_t sites) noexcept;

// The doubles of a row of sites of `numbers` numbers.
inline std::size_t row_numbers(std::size_t sites, std::size_t numbers) noexcept { return numbers * row_stride(sites); }

// `sites` sites that lie one behind the other in `memory` as a row; behind the last comes the first again.
void to_row(Precision precision, const void* memory, std::size_t numbers, std::size_t sites, double* row) noexcept;

// traces[s] = Re Tr (first[0] second[0]) (first[1] second[1])^dagger of each site of rows that to_row() made;
// `traces` has room for row_stride(sites).
void plaquette_traces(int colors, const PlaquetteRows& rows, std::size_t sites, double* traces) noexcept;

// traces[s] = Re Tr of the link that begins at `row`.
void link_traces(int colors, const double* row, std::size_t sites, double* traces) noexcept;

}  // namespace lq::kernels
