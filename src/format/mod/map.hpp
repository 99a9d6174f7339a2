// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Object files of QDP++ as a map from keys to places (formats/mod.md 2): read whole, and made for vectors by time
// slices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/options.hpp>

#include "base/byte_source.hpp"

namespace lq::format::mod {

inline constexpr std::string_view magic = "XXXXQDPLazyDiskMapObjFileXXXX";

struct Entry {
  std::string key;  // bytes, as they stand there
  std::uint64_t offset = 0;
};

struct Map {
  std::uint32_t version = 0;
  std::string text;  // XML of the program
  std::uint64_t text_at = 0, link_at = 0;
  std::uint64_t begin = 0, end = 0;  // of the map
  std::vector<Entry> entries = {};   // in order of the file
  std::uint32_t stated_crc = 0, computed_crc = 0;

  std::uint64_t header_end() const noexcept { return link_at + 16; }
};

bool begins_with_magic(base::ByteSource& file);

// malformed, truncated, too_large: what is wrong, in a sentence that does not name the file.
Map read_map(base::ByteSource& file, const Limits& limits);

// Two numbers: the key of a time slice of a vector.
struct SliceKey {
  std::int32_t slice = 0, vector = 0;
};
bool is_slice_key(std::string_view key) noexcept;
SliceKey slice_key(std::string_view key) noexcept;

// What a file of the given number of vectors begins with: header and map, which says that record number (vector *
// slices + slice) is `record_bytes` behind the one before, the first one right after the map.
std::string header_and_map(std::string_view text, std::uint64_t vectors, std::uint64_t slices,
                           std::uint64_t record_bytes);

}  // namespace lq::format::mod
