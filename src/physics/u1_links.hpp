// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Non-compact links of U(1): a real number A for each link, which stands for the phase exp(i A).
#pragma once

#include <span>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

namespace lq::physics {

// One real number for each of two or more dimensions: what such links are kept as.
bool can_be_u1(const FieldSpec& spec, const Extents& extents) noexcept;

// re and im of the phases, as links of one colour.
std::vector<double> phases_of(std::span<const double> angles);

// Collective. The average of Re U_P, of a field whose spec is resolved, by the given number of threads of this
// rank; 0: as many as it has cores to itself.
double u1_plaquette(const Grid& grid, const Field& field, int threads);

}  // namespace lq::physics
