// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The field of a measurement: its spec resolved, and the same on all ranks.
#pragma once

#include <string_view>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

#include "comm/comm.hpp"

namespace lq::physics {

comm::Comm& ranks_of(const Grid& grid);

// Collective. The field with its spec resolved; every rank has the same spec. `verb`: what is done, for errors.
Field resolve_any(const Grid& grid, const Field& field, std::string_view verb);
// Collective. The same of a gauge field of SU(2) or larger with one link for each of two or more dimensions;
// invalid_argument for others.
Field resolve_gauge(const Grid& grid, const Field& field, std::string_view verb);

}  // namespace lq::physics
