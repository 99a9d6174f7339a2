// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Filters that the chunks of a dataset pass through: as the dataset names them, as they are asked for, and as codecs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/tile_codec.hpp"

namespace lq::hdf5 {

// A filter that the chunks of a dataset pass through, as the dataset names it.
struct Filter {
  int id = 0;
  bool is_optional = false;
  std::string name = {};
  std::vector<std::uint32_t> parameters = {};
};

// Of filters of a dataset, Payload::encoding; unknown ones are named, too ("szip", "filter-32001"), and have no codec.
std::string encoding_of(const std::vector<Filter>& filters, std::uint64_t element_bytes);

// nullptr: one of the filters is not known, or its library was not there when this was built. Lives as long as the
// program.
const format::TileCodec* tile_codec(std::string_view encoding);

// The HDF5 library's checksum of a chunk: that of Fletcher over 16-bit words, high byte first.
std::uint32_t fletcher32(base::Bytes bytes) noexcept;

// Filters that are asked for, as text: "shuffle,deflate:6,fletcher32".

// In the order in which they are applied. invalid_argument names the filters there are; unsupported: it is not built
// in.
std::vector<Filter> parse_filters(std::string_view text);
inline constexpr int zstd_filter = 32015;  // as registered with The HDF Group

}  // namespace lq::hdf5
