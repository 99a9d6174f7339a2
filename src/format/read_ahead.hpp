// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small pieces of a file in ascending order, through one window: many tiny records cost few reads, and a jump
// over a large payload does not read it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"

namespace lq::format {

class ReadAhead {
 public:
  static constexpr std::size_t largest_window = 64 * 1024;

  explicit ReadAhead(base::ByteSource& file) : file_(file), size_(file.size()) {}

  std::uint64_t size() const noexcept { return size_; }
  base::ByteSource& file() const noexcept { return file_; }
  // The `length` (at most largest_window) bytes at `offset`, or as many as there are; valid until the next call.
  base::Bytes view(std::uint64_t offset, std::size_t length);

 private:
  base::ByteSource& file_;
  std::uint64_t size_;
  std::vector<std::byte> window_;
  std::uint64_t start_ = 0;
  std::size_t held_ = 0;
  std::size_t next_window_ = 4096;
};

}  // namespace lq::format
