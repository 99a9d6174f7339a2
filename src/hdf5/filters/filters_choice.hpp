// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Filters that are asked for, as text: "shuffle,deflate:6,fletcher32".
#pragma once

#include <string_view>
#include <vector>

#include "hdf5/filters/filter.hpp"

namespace lq::hdf5 {

// In the order in which they are applied. invalid_argument names the filters there are; unsupported: it is not built
// in.
std::vector<Filter> parse_filters(std::string_view text);
inline constexpr int zstd_filter = 32015;  // as registered with The HDF Group

}  // namespace lq::hdf5
