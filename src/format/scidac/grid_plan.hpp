// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field in the records that Grid writes and reads (formats/vectors.md 4.1), in Grid's order.
#pragma once

#include <string>

#include "format/format.hpp"

namespace lq::format::scidac {

inline constexpr std::string_view grid_layout = "grid";

// What Grid's headers say of a field on such a lattice.
std::string grid_header(const Extents& lattice, Precision precision);

// The text scidac-file-xml goes in front of the first field, if there is one; a given grid-format replaces the one that
// is made. invalid_argument: another layout was asked for.
Layout plan_for_grid(const FieldRequest& request);

}  // namespace lq::format::scidac
