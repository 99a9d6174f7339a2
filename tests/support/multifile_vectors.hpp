// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The conformance vectors for multifiles: their contents by formula, and their bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "multifile/multifile.hpp"
#include "support/file_contents.hpp"

namespace lq::testing {

// Bytes `begin` and following of the logical file of a global rank in the vector with a seed.
inline std::vector<std::byte> vector_bytes(std::int64_t seed, std::int64_t rank, std::int64_t begin,
                                           std::int64_t count) {
  std::vector<std::byte> bytes;
  for (std::int64_t i = begin; i < begin + count; ++i) {
    bytes.push_back(static_cast<std::byte>((31 * i + 57 * rank + 7 * (i / 256) + 13 * seed) & 255));
  }
  return bytes;
}

inline std::vector<std::byte> golden_vector(const std::string& name) {
  const std::string text = contents(golden_path(name));
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// What is left of the logical file that is open, in pieces that fit no chunk.
inline std::vector<std::byte> read_to_end(multifile::Multifile& file) {
  std::vector<std::byte> all, buffer(777);
  while (!file.is_at_end()) {
    const std::size_t got = file.read(buffer);
    all.insert(all.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got));
  }
  return all;
}

// But for the version of the writing library, which stands at bytes 8 to 15.
inline std::vector<std::byte> without_version(std::vector<std::byte> bytes) {
  for (std::size_t i = 8; i < std::min<std::size_t>(16, bytes.size()); ++i) bytes[i] = std::byte{0};
  return bytes;
}

}  // namespace lq::testing
