// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a task as one stream, whatever chunks it is cut into.
#pragma once

#include <cstdint>
#include <functional>

#include "base/bytes.hpp"
#include "format/sion/keyval.hpp"
#include "format/sion/set.hpp"

namespace lq::format::sion {

// Part of a stream that lies in one piece.
struct Stretch {
  std::uint64_t offset = 0;  // in the physical file
  std::uint64_t length = 0;
};

class Stream {
 public:
  // A local task of `file`, which has its table and outlives the stream.
  Stream(const PhysicalFile& file, std::int32_t task) : file_(file), task_(task), bytes_(file.table.bytes(task)) {}

  std::uint64_t bytes() const noexcept { return bytes_; }
  // Calls `work` for the pieces of `length` bytes from `position` on, or as many as there are. Walking on is cheap;
  // going back starts again with the first chunk.
  void for_each(std::uint64_t position, std::uint64_t length, const std::function<void(const Stretch&)>& work);
  // Reads from the physical file; returns how many bytes there were.
  std::size_t read(base::ByteSource& file, std::uint64_t position, base::MutableBytes buffer);

 private:
  const PhysicalFile& file_;
  std::int32_t task_;
  std::uint64_t bytes_;
  std::uint64_t chunk_ = 0;        // where the last call ended
  std::uint64_t chunk_begin_ = 0;  // position of its first byte
};

// The key-value records of a local task, read through a window; `file` and `source`, the same file opened, outlive the
// walker.
KeyWalker walk_records(const PhysicalFile& file, std::int32_t task, base::ByteSource& source);

}  // namespace lq::format::sion
