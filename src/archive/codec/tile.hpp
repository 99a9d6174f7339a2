// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tile of an archive (formats/squeezed.md 4): what it holds, the sum of it, and the bytes in the way that is
// shortest; and the ways there are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "format/tile_codec.hpp"

namespace lq::archive {

// Links of SU(3) in less than half of their bytes, bit for bit (formats/squeezed.md 5): eight numbers of each link are
// kept, ten are predicted from them, and only by how many units of the last place the prediction is wrong is stored.
// Links that are not in the group are stored as they are.

// How numbers lie in a tile.
struct Numbers {
  std::uint8_t reals = 0;  // of each link: 18, or 12 where the third rows are missing; 0: these are no links
  std::uint8_t bytes = 8;  // of each number: 8 or 4
  bool big_endian = true;
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

// How the symbols of links are stored (formats/squeezed.md 5.4): those of a link contiguous, as in archives of versions
// 1 and 2, which are only read; or column by column, several streams at a time.
enum class LinkMethod : std::uint8_t { by_link, by_column };

// Whole links, `of.reals` not 0; by columns.
std::vector<std::byte> encode_links(base::Bytes links, const Numbers& of);
// malformed: `encoded` does not give the given number of links.
void decode_links(base::Bytes encoded, base::MutableBytes links, const Numbers& of,
                  LinkMethod method = LinkMethod::by_column);

// Numbers of any kind: the first bytes of all of them, then the second ones, and so on, compressed by zstd.

// Empty: this build has no zstd, or the bytes are no whole numbers.
std::vector<std::byte> shuffle_and_compress(base::Bytes numbers, std::size_t bytes_each);
// malformed: they do not give the given number of bytes; unsupported: this build has no zstd.
void restore_shuffled(base::Bytes compressed, std::size_t bytes_each, base::MutableBytes numbers);

// What numbers are called that lie like this; such as "links18-double-big", "links12-single-little",
// "numbers-double-big".
std::string encoding_name(const Numbers& numbers);
const format::TileCodec& codec_of(const Numbers& numbers);
// nullptr: no numbers are called so.
const format::TileCodec* codec_named(std::string_view encoding);

}  // namespace lq::archive
