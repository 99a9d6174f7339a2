// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The conformance vectors for multifiles: their contents by formula, and their bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "transport/transport.hpp"

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
  std::ifstream file(std::string(LQ_SOURCE_DIR) + "/tests/golden/good/sion/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("no vector " + name);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

inline std::vector<std::byte> bytes_in(transport::Transport& transport, const std::string& path) {
  const auto file = transport.open_read(path);
  std::vector<std::byte> bytes(file->size());
  bytes.resize(file->read_at(0, bytes));
  return bytes;
}

// But for the version of the writing library, which stands at bytes 8 to 15.
inline std::vector<std::byte> without_version(std::vector<std::byte> bytes) {
  for (std::size_t i = 8; i < std::min<std::size_t>(16, bytes.size()); ++i) bytes[i] = std::byte{0};
  return bytes;
}

}  // namespace lq::testing
