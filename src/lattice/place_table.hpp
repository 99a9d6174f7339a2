// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of an application's own that say where its sites or links lie.
#pragma once

#include <cstdint>
#include <span>

namespace lq::lattice {

// Places from the first to after the last that the first `entries` of a table name. invalid_argument where it has
// fewer, names one twice, or one so far away that it can be none.
std::uint64_t places_needed(std::span<const std::uint64_t> table, std::uint64_t entries);

}  // namespace lq::lattice
