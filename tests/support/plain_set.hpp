// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of subfiles written plainly, without the library but for the text of the description.
#pragma once

#include <cstdint>
#include <string>

#include <limequat/partition.hpp>

#include "storage/subfiles.hpp"
#include "support/file_contents.hpp"
#include "support/plain_partition.hpp"

namespace lq::testing {

inline std::string bytes_of_file(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 7;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

// What part number `part` holds of these bytes.
inline std::string part_of_bytes(const std::string& bytes, const Partition& partition, std::uint64_t part) {
  const FileArray& array = partition.array();
  std::string held;
  const auto places = places_by_dealing(array, partition.cuts());
  for (std::size_t e = 0; e < places.size(); ++e) {
    if (places[e].part == part) held += bytes.substr(array.begin + e * array.element_bytes, array.element_bytes);
  }
  return held;
}

// A set of these bytes: the first subfile has what is around the array.
inline std::string put_set(const std::string& path, const std::string& bytes, const Partition& partition) {
  const FileArray& array = partition.array();
  PartitionedFile set{.path = path, .bytes = bytes.size(), .partition = partition};
  for (std::uint64_t k = 0; k < partition.parts(); ++k) {
    std::string held = part_of_bytes(bytes, partition, k);
    if (k == 0) held = bytes.substr(0, array.begin) + held + bytes.substr(array.end());
    const std::string subfile = path + "." + std::to_string(k);
    set.files.push_back({subfile.substr(subfile.rfind('/') + 1), k == 0 ? array.begin : 0});
    put_contents(subfile, held);
  }
  put_contents(path, storage::encode_description(set));
  return path;
}

}  // namespace lq::testing
