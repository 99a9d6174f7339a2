// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tile of an archive (formats/squeezed.md 4): the kind of its numbers, their checksum, and the bytes, encoded by the
// shortest method; and the available methods.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "format/tile_codec.hpp"

namespace lq::archive {

// SU(3) links in less than half of their bytes, bit for bit (formats/squeezed.md 5): eight numbers of each link are
// kept, ten are predicted from them, and only the errors of the predictions in units of the last place are stored.
// Links that are not in the group are stored unchanged.

// The form of the numbers in a tile.
struct Numbers {
  std::uint8_t reals = 0;  // per link: 18, or 12 without third rows; 0: not links
  std::uint8_t bytes = 8;  // per number: 8 or 4
  bool big_endian = true;
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

// How the symbols of links are stored (formats/squeezed.md 5.4): contiguous for each link, in archives of versions 1
// and 2, which are only read; or column by column, in several parallel streams.
enum class LinkMethod : std::uint8_t { by_link, by_column };

// Encodes whole links by columns; `of.reals` is not 0.
std::vector<std::byte> encode_links(base::Bytes links, const Numbers& of);
// malformed: `encoded` does not decode to the given number of links.
void decode_links(base::Bytes encoded, base::MutableBytes links, const Numbers& of,
                  LinkMethod method = LinkMethod::by_column);

// Numbers of any kind: the first bytes of all of them, then the second bytes, and so on, compressed by zstd.

// Empty: this build has no zstd, or the size is not a multiple of the number size.
std::vector<std::byte> shuffle_and_compress(base::Bytes numbers, std::size_t bytes_each);
// malformed: they do not decode to the given size; unsupported: this build has no zstd.
void restore_shuffled(base::Bytes compressed, std::size_t bytes_each, base::MutableBytes numbers);

// The name of this form of numbers; such as "links18-double-big", "links12-single-little", "numbers-double-big".
std::string encoding_name(const Numbers& numbers);
const format::TileCodec& codec_of(const Numbers& numbers);
// nullptr: unknown name.
const format::TileCodec* codec_named(std::string_view encoding);

}  // namespace lq::archive
