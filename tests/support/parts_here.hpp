// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Optional libraries: tests of what needs one skip where it was not built in.
#pragma once

#include <algorithm>
#include <string_view>

#include <limequat/inspect.hpp>

namespace lq::testing {

// By its name in `lq --version -v`: "libdeflate".
inline bool has_part(std::string_view name) {
  const auto parts = build_parts();
  const auto part = std::ranges::find(parts, name, &BuildPart::name);
  return part != parts.end() && part->is_present;
}

// True if the chunks of a dataset can be written with these filters: "shuffle,deflate:4".
inline bool has_filters(std::string_view filters) {
  return (filters.find("deflate") == std::string_view::npos || has_part("libdeflate")) &&
         (filters.find("zstd") == std::string_view::npos || has_part("zstd"));
}

}  // namespace lq::testing
