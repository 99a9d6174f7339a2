// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tile of an archive (formats/squeezed.md 4): what it holds, the sum of it, and the bytes in the way that is
// shortest.
#pragma once

#include <string>
#include <string_view>

#include "archive/codec/link_codec.hpp"
#include "format/tile_codec.hpp"

namespace lq::archive {

// What numbers are called that lie like this; such as "links18-double-big", "links12-single-little",
// "numbers-double-big".
std::string encoding_name(const Numbers& numbers);
const format::TileCodec& codec_of(const Numbers& numbers);
// nullptr: no numbers are called so.
const format::TileCodec* codec_named(std::string_view encoding);

}  // namespace lq::archive
