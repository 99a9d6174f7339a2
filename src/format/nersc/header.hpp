// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The lines of a NERSC header: what they say of the numbers, and texts that travel with a field (formats/nersc.md 2,
// 3).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <limequat/catalog.hpp>
#include <limequat/metadata.hpp>

#include "format/flat/headers.hpp"

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

// Texts that travel with a field, as lines of a NERSC header (formats/nersc.md 3).

// The text that is the header of another NERSC file, whose lines a new file gets again.
inline constexpr std::string_view header_text = "nersc-header";

// The keys of lines that say what the numbers are.
std::span<const std::string_view> keys_of_numbers() noexcept;

// Those of a header: its own lines as one text, and the texts that we put there.
Metadata texts_of(const flat::TextHeader& header);

// Those that have a place in a header.
Metadata held_texts(const Metadata& texts);

// The lines for them, but not those that say what the numbers are.
std::string lines_of(const Metadata& texts);

}  // namespace lq::format::nersc
