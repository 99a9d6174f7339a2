// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers without a header: the text that says what they are, and numbers that are written out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "format/flat/headers.hpp"
#include "format/tile_codec.hpp"

namespace lq::format::raw {

// What is in a file without a header: the text that says it, and the order of the numbers (formats/raw.md 2, 3).

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

// Numbers that are written out, with white space between them (formats/raw.md 4). No number of a file has a place of
// its own; a field is cut into tiles, whose places are found by counting, or turn out when they are written.

// nullptr: no encoding of numbers as text. As bytes they are in big-endian order.
const TileCodec* text_codec(std::string_view encoding) noexcept;

// Cuts a payload that lay() has laid into tiles that are yet to be written.
void plan_text(Payload& payload);

// The same, of numbers that are there, from the payload's offset on. Gives the byte after the last of them, or the
// size of the file where only white space follows. truncated: they are fewer; malformed: a number has more than 64
// bytes.
std::uint64_t find_text(Payload& payload, base::ByteSource& data);

}  // namespace lq::format::raw
