// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The order of the numbers of a file by the names of their axes, slowest first (formats/raw.md 3):
// "t z y x mu row column reim".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <limequat/catalog.hpp>

namespace lq::format::raw {

inline constexpr std::uint64_t most_site_numbers = 1 << 16;

// The order of memory for such a field.
std::string natural_order(const FieldSpec& spec);

// Sets the order of sites and numbers of a payload whose spec, extents and offset are set, in that file; with axes
// slower than the sites, where each of their numbers lies. malformed: `order` does not name each axis once, or the axes
// of the lattice are apart; unsupported: more numbers per site than above.
void lay(Payload& payload, std::string_view order, int file);

}  // namespace lq::format::raw
