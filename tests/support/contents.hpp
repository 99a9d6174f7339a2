// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a file in one piece. Not by iterators over a stream: tests are not optimised, and some compare files
// after every one of thousands of failures.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace lq::testing {

// A missing file fails the test.
inline std::string contents(const std::string& path) {
  std::string bytes;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  EXPECT_TRUE(file.is_open()) << path;
  if (!file) return bytes;
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
