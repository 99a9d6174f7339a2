// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Filters of the chunks of a dataset: as stored in the dataset, as requested by options, and as codecs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/tile_codec.hpp"

namespace lq::hdf5 {

// A filter of the chunks of a dataset, as stored in the dataset.
struct Filter {
  int id = 0;
  bool is_optional = false;
  std::string name = {};
  std::vector<std::uint32_t> parameters = {};
};

// Payload::encoding for the filters of a dataset; unknown ones are also named ("szip", "filter-32001"), but have no
// codec.
std::string encoding_of(const std::vector<Filter>& filters, std::uint64_t element_bytes);

// nullptr: one of the filters is unknown, or its library was not available in this build. Static lifetime.
const format::TileCodec* tile_codec(std::string_view encoding);

// A zlib stream (RFC 1950) decompressed; empty: this build has no library for it. malformed: it is damaged, or holds
// more than `most` bytes.
std::vector<std::byte> inflate(base::Bytes stream, std::size_t most);

// The HDF5 library's checksum of a chunk: Fletcher's over 16-bit words, high byte first.
std::uint32_t fletcher32(base::Bytes bytes) noexcept;

// Requested filters as text: "shuffle,deflate:6,fletcher32".

// In the order of application. invalid_argument lists the available filters; unsupported: not in this build.
std::vector<Filter> parse_filters(std::string_view text);
inline constexpr int zstd_filter = 32015;  // as registered with The HDF Group

}  // namespace lq::hdf5
