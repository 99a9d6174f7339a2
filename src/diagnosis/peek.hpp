// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Single numbers anywhere in a file: all of it in memory where it is small, else the blocks looked at last.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"

namespace lq::diagnosis {

inline constexpr std::uint64_t largest_held = 64 * base::mebi;

class Peek {
 public:
  explicit Peek(base::ByteSource& source);

  std::uint64_t size() const noexcept { return size_; }
  // The bytes from `offset` on, up to 64 KiB, until the next call; nullptr: the file ends before.
  const std::byte* at(std::uint64_t offset, std::size_t bytes);

 private:
  const std::vector<std::byte>& block(std::uint64_t number);

  base::ByteSource& source_;
  std::uint64_t size_;
  std::vector<std::byte> whole_;  // of a small file
  std::unordered_map<std::uint64_t, std::vector<std::byte>> blocks_;
  std::vector<std::byte> across_;  // bytes that lie in two blocks
};

}  // namespace lq::diagnosis
