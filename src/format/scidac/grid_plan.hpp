// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field in the records that Grid writes and reads (formats/vectors.md 4.1), in Grid's order.
#pragma once

#include "format/format.hpp"

namespace lq::format::scidac {

inline constexpr std::string_view grid_layout = "grid";

// Of the texts those of scidac-file-xml (in front of the first field, if there is one), grid-format and
// scidac-record-xml are taken; others have no place. invalid_argument: another layout was asked for.
Layout plan_for_grid(const FieldRequest& request);

}  // namespace lq::format::scidac
