// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers without a header: the text that describes them, and numbers written as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "format/flat/headers.hpp"
#include "format/tile_codec.hpp"

namespace lq::format::raw {

// The description of a file without a header, and the order of the numbers (formats/raw.md 2, 3).

// The order of the numbers of a file by the names of their axes, slowest first (formats/raw.md 3):
// "t z y x mu row column reim".

inline constexpr std::uint64_t most_site_numbers = 1 << 16;

// The memory order of such a field.
std::string natural_order(const FieldSpec& spec);

// Sets the order of sites and numbers of a payload whose spec, extents and offset are set, in that file; if axes
// are slower than the sites, the position of each of their numbers. malformed: `order` does not name each axis once, or
// the lattice axes are not adjacent; unsupported: more numbers per site than above.
void order_axes(Payload& payload, std::string_view order, int file);

inline constexpr std::string_view begin_line = "BEGIN_RAW_FIELD";
inline constexpr std::string_view end_line = "END_RAW_FIELD";

struct Description {
  std::string data;  // path of the data, as in the text; empty: it has none
  Payload payload;   // in file number 1; with its length
  bool is_text = false;
  std::string basis = {};
};

// malformed, unsupported, too_large: in a sentence that names the line.
Description understand(const flat::TextHeader& header);

// The parts of the option `layout`: the name of a layout, or an order, optionally after "little", "big" or "text".
struct Ordering {
  std::string order;
  ByteOrder byte_order = ByteOrder::big;
  bool is_text = false;
};
// invalid_argument, unsupported: unknown, or for another precision.
Ordering ordering_of(std::string_view layout, const FieldSpec& spec);

// Numbers as text, separated by white space (formats/raw.md 4). Numbers have no fixed
// positions; a field is divided into tiles, whose positions are found by counting, or known when they are written.

// nullptr: not an encoding of numbers as text. As bytes they are in big-endian order.
const TileCodec* text_codec(std::string_view encoding) noexcept;

// Divides a payload prepared by lay() into tiles that are yet to be written.
void plan_text(Payload& payload);

// The same for existing numbers, from the payload's offset on. Returns the byte after the last of them, or the
// size of the file if only white space follows. truncated: too few; malformed: a number has more than 64
// bytes.
std::uint64_t find_text(Payload& payload, base::ByteSource& data);

}  // namespace lq::format::raw
