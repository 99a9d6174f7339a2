// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the chunks of a physical file lie (formats/sion.md 4). Sums that come from a file are checked once, when the
// object is made, so that what is asked of it later cannot overflow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/sion/head.hpp"

namespace lq::format::sion {

// `bytes` rounded up to a multiple of `block` (at least 1); too_large past 2^63 - 1.
std::uint64_t round_up(std::uint64_t bytes, std::uint64_t block);

// Where metadata block 2 lies behind `max_chunks` blocks of `skip` bytes from `start` on; too_large past 2^63 - 1.
std::uint64_t tail_offset(std::uint64_t start, std::uint64_t skip, std::uint64_t max_chunks);

class Geometry {
 public:
  Geometry() = default;
  // Throws BrokenRule(malformed): sums of widths that overflow. `path` is for messages.
  Geometry(const Head& head, const std::string& path);

  std::int32_t tasks() const noexcept { return static_cast<std::int32_t>(starts_.size()) - 1; }
  // Of chunk 0 of a task.
  std::uint64_t start(std::int32_t task) const noexcept { return starts_[static_cast<std::size_t>(task)]; }
  // Of each chunk of a task.
  std::uint64_t width(std::int32_t task) const noexcept {
    return starts_[static_cast<std::size_t>(task) + 1] - starts_[static_cast<std::size_t>(task)];
  }
  // From a chunk of a task to its next: the sum of all widths.
  std::uint64_t skip() const noexcept { return starts_.back() - starts_.front(); }
  // Chunk `chunk` of a task; `chunk` is below a number for which tail_offset() did not throw.
  std::uint64_t chunk_offset(std::int32_t task, std::uint64_t chunk) const noexcept {
    return start(task) + chunk * skip();
  }
  std::uint64_t tail_offset(std::uint64_t max_chunks) const {
    return format::sion::tail_offset(starts_.front(), skip(), max_chunks);
  }

 private:
  std::vector<std::uint64_t> starts_ = {0};  // of each task, and behind the last
};

}  // namespace lq::format::sion
