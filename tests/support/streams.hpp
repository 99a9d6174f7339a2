// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What tests write into the streams of tasks: bytes that tell which task and place they belong to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "support/quick.hpp"

namespace lq::testing {

// Of a task; no period that chunks or buffers could share.
LQ_QUICK inline std::byte stream_byte(std::uint64_t task, std::uint64_t position) noexcept {
  std::uint64_t x = (position / 3 + 1) * 0x9e3779b97f4a7c15 ^ (task + 1) * 0xc2b2ae3d27d4eb4f;
  x ^= x >> 29;
  return static_cast<std::byte>(x * 0xbf58476d1ce4e5b9 >> 56);
}

// The bytes from `begin` on.
LQ_QUICK inline void put_stream_bytes(std::uint64_t task, std::uint64_t begin, std::byte* to, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < bytes;) {
    const std::byte byte = stream_byte(task, begin + i);
    const std::uint64_t alike = 3 - (begin + i) % 3;  // all positions of a third have one byte
    for (std::uint64_t end = alike < bytes - i ? i + alike : bytes; i < end; ++i) to[i] = byte;
  }
}

inline std::vector<std::byte> stream_bytes(std::uint64_t task, std::uint64_t begin, std::uint64_t bytes) {
  std::vector<std::byte> all(bytes);
  put_stream_bytes(task, begin, all.data(), bytes);
  return all;
}

// The first byte that is not of the task's stream, from `begin` on; the number of bytes if all are.
inline std::uint64_t first_wrong(std::span<const std::byte> bytes, std::uint64_t task, std::uint64_t begin = 0) {
  const std::vector<std::byte> right = stream_bytes(task, begin, bytes.size());
  if (bytes.empty() || std::memcmp(bytes.data(), right.data(), bytes.size()) == 0) return bytes.size();
  return static_cast<std::uint64_t>(std::ranges::mismatch(bytes, right).in1 - bytes.begin());
}

}  // namespace lq::testing
