// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers in the small XML documents of lattice files, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <limequat/lattice.hpp>

#include "base/xml.hpp"

namespace lq::format {

inline constexpr std::string_view xml_declaration = R"(<?xml version="1.0" encoding="UTF-8"?>)";

// Error(malformed) unless the root has that name.
base::xml::Element parse_document(std::string_view document, std::string_view root);

// All of them throw Error(malformed) that names the element.
std::uint64_t required_number(const base::xml::Element& parent, std::string_view name);
std::optional<std::uint64_t> optional_number(const base::xml::Element& parent, std::string_view name);
// White space separated numbers below 2^62, at most as many as there are dimensions.
Coord required_coord(const base::xml::Element& parent, std::string_view name);

// Error(malformed): an extent is zero, or the number of sites does not fit 62 bits.
void check_extents(const Extents& extents, std::string_view where);

}  // namespace lq::format
