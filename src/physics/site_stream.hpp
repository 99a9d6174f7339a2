// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The local sites of a field one after the other, whatever its memory looks like.
#pragma once

#include <cstdint>
#include <span>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

#include "base/function_ref.hpp"

namespace lq::physics {

// Takes the numbers of local site `site` (its number in natural order), widened to double.
using TakeSite = base::FunctionRef<void(std::uint64_t site, std::span<const double> numbers)>;

// Local. `field` is resolved. Sites come in natural order.
void for_each_site(const Grid& grid, const Field& field, const TakeSite& take);
// Those numbered begin .. end-1 alone. Of a field in memory several threads may do so side by side.
void for_each_site(const Grid& grid, const Field& field, std::uint64_t begin, std::uint64_t end, const TakeSite& take);

}  // namespace lq::physics
