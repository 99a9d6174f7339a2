// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Filters that chunks pass through, by names such as "shuffle:8,deflate:6,fletcher32": in the order of writing, with
// the bytes of an element for shuffle and the level for deflate and zstd (formats/hdf5.md 9).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/tile_codec.hpp"
#include "hdf5/filters/filter.hpp"

namespace lq::hdf5 {

// Of filters of a dataset, Payload::encoding; unknown ones are named, too ("szip", "filter-32001"), and have no codec.
std::string encoding_of(const std::vector<Filter>& filters, std::uint64_t element_bytes);

// nullptr: one of the filters is not known, or its library was not there when this was built. Lives as long as the
// program.
const format::TileCodec* tile_codec(std::string_view encoding);

// The HDF5 library's checksum of a chunk: that of Fletcher over 16-bit words, high byte first.
std::uint32_t fletcher32(base::Bytes bytes) noexcept;

}  // namespace lq::hdf5
