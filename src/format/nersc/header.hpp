// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the lines of a NERSC header say of the numbers (formats/nersc.md 2).
#pragma once

#include <optional>
#include <string_view>

#include <limequat/catalog.hpp>

namespace lq::format::nersc {

inline constexpr std::string_view begin_line = "BEGIN_HEADER";
inline constexpr std::string_view end_line = "END_HEADER";
inline constexpr std::size_t most_header_bytes = 64 * 1024;

// What DATATYPE says: "4D_SU3_GAUGE_3x3".
struct Datatype {
  int dimensions = 4;
  int colors = 3;
  bool whole_matrices = false;  // rows are not left out
};
// malformed, unsupported: none of those that are known.
Datatype parse_datatype(std::string_view text);

// What FLOATING_POINT says; no byte order: IEEE32 and IEEE64, which programs take differently.
struct FloatingPoint {
  Precision precision = Precision::single;
  std::optional<ByteOrder> order = {};
};
FloatingPoint parse_floating_point(std::string_view text);

}  // namespace lq::format::nersc
