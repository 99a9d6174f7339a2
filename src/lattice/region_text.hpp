// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Axes and regions as texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <limequat/lattice.hpp>

#include "base/inner.hpp"

namespace lq::lattice {

// "x", "y", "z", "t" or a number from 0.
std::optional<int> axis_of(std::string_view name);
// The text before the first `end`, or all; removes it and `end` from `rest`.
std::string_view take_until(std::string_view& rest, char end);

// Sites FIRST to END - 1, or one site, of each named axis, all sites of the others: "t=0:8,x=:4,y=5". Negative numbers
// count from the end, as in Python. invalid_argument: an invalid text, or a site that the lattice of `path` does not
// have.
LQ_INNER Box region_of(const std::string& path, std::string_view text, const Extents& lattice);

}  // namespace lq::lattice
