// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is in a file without a header: the text that says it, and the order of the numbers (formats/raw.md 2, 3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <limequat/catalog.hpp>

#include "format/flat/headers.hpp"

namespace lq::format::raw {

// The order of the numbers of a file by the names of their axes, slowest first (formats/raw.md 3):
// "t z y x mu row column reim".

inline constexpr std::uint64_t most_site_numbers = 1 << 16;

// The order of memory for such a field.
std::string natural_order(const FieldSpec& spec);

// Sets the order of sites and numbers of a payload whose spec, extents and offset are set, in that file; with axes
// slower than the sites, where each of their numbers lies. malformed: `order` does not name each axis once, or the axes
// of the lattice are apart; unsupported: more numbers per site than above.
void lay(Payload& payload, std::string_view order, int file);

inline constexpr std::string_view begin_line = "BEGIN_RAW_FIELD";
inline constexpr std::string_view end_line = "END_RAW_FIELD";

struct Description {
  std::string data;  // path of the data, as the text has it; empty: it has none
  Payload payload;   // in file number 1; with its length
  bool is_text = false;
  std::string basis = {};
};

// malformed, unsupported, too_large: in a sentence that names the line.
Description understand(const flat::TextHeader& header);

// What a layout of the option `layout` says: the name of one, or an order, perhaps behind "little", "big" or "text".
struct Ordering {
  std::string order;
  ByteOrder byte_order = ByteOrder::big;
  bool is_text = false;
};
// invalid_argument, unsupported: there is none, or it is for another precision.
Ordering ordering_of(std::string_view layout, const FieldSpec& spec);

}  // namespace lq::format::raw
