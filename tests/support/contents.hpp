// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a file in one piece. Not by iterators over a stream: tests are not optimised, and some compare files
// after every one of thousands of failures.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

namespace lq::testing {

// Throws where there is no file.
inline std::string contents(const std::string& path) {
  std::string bytes;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  bytes.resize(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

#ifdef LQ_SOURCE_DIR
// `name`: below tests/golden.
inline std::string golden_contents(const std::string& name) {
  return contents(std::string(LQ_SOURCE_DIR) + "/tests/golden/" + name);
}
#endif

inline void put_contents(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace lq::testing
