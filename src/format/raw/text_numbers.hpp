// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers that are written out, with white space between them (formats/raw.md 4). No number of a file has a place of
// its own; a field is cut into tiles, whose places are found by counting, or turn out when they are written.
#pragma once

#include <cstdint>
#include <string_view>

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "format/tile_codec.hpp"

namespace lq::format::raw {

// nullptr: no encoding of numbers as text. As bytes they are in big-endian order.
const TileCodec* text_codec(std::string_view encoding) noexcept;

// Cuts a payload that lay() has laid into tiles that are yet to be written.
void plan_text(Payload& payload);

// The same, of numbers that are there, from the payload's offset on. Gives the byte after the last of them, or the
// size of the file where only white space follows. truncated: they are fewer; malformed: a number has more than 64
// bytes.
std::uint64_t find_text(Payload& payload, base::ByteSource& data);

}  // namespace lq::format::raw
