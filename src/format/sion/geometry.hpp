// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The positions of chunks in a physical file (formats/sion.md 4), their widths at creation, and which task
// collects for which (4.2): another writer that follows these rules produces the same bytes. Sums from a file
// are checked once, when a geometry is constructed, so that later calculations cannot overflow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/sion/head.hpp"

namespace lq::format::sion {

// `bytes` rounded up to a multiple of `block` (at least 1); too_large past 2^63 - 1.
std::uint64_t round_up(std::uint64_t bytes, std::uint64_t block);

// The position of metadata block 2 after `max_chunks` blocks of `skip` bytes from `start` on; too_large past 2^63 - 1.
std::uint64_t tail_offset(std::uint64_t start, std::uint64_t skip, std::uint64_t max_chunks);

// The positions of one task's chunks in its physical file.
struct ChunkPlaces {
  std::uint64_t start = 0;  // of chunk 0
  std::uint64_t width = 0;  // of each chunk
  std::uint64_t skip = 0;   // distance between two chunks

  std::uint64_t offset(std::uint64_t chunk) const noexcept { return start + chunk * skip; }
};

class Geometry {
 public:
  Geometry() = default;
  // Throws BrokenRule(malformed): sums of widths that overflow. `path` is for messages.
  Geometry(const Head& head, const std::string& path);

  std::int32_t tasks() const noexcept { return static_cast<std::int32_t>(starts_.size()) - 1; }
  // The start of chunk 0 of a task.
  std::uint64_t start(std::int32_t task) const noexcept { return starts_[static_cast<std::size_t>(task)]; }
  // The width of each chunk of a task.
  std::uint64_t width(std::int32_t task) const noexcept {
    return starts_[static_cast<std::size_t>(task) + 1] - starts_[static_cast<std::size_t>(task)];
  }
  // The distance between a task's chunks: the sum of all widths.
  std::uint64_t skip() const noexcept { return starts_.back() - starts_.front(); }
  ChunkPlaces places(std::int32_t task) const noexcept { return {start(task), width(task), skip()}; }
  // Chunk `chunk` of a task; `chunk` is below a number for which tail_offset() did not throw.
  std::uint64_t chunk_offset(std::int32_t task, std::uint64_t chunk) const noexcept {
    return start(task) + chunk * skip();
  }
  std::uint64_t tail_offset(std::uint64_t max_chunks) const {
    return format::sion::tail_offset(starts_.front(), skip(), max_chunks);
  }

 private:
  std::vector<std::uint64_t> starts_ = {0};  // of each task, and after the last
};

// invalid_argument for a block size below 1 or a negative request; too_large if a sum does not fit. All of these
// functions throw these. Requests are in bytes, one per task of a physical file.
std::vector<std::int64_t> aligned_widths(std::span<const std::int64_t> requests, std::int64_t block);

// Groups of consecutive tasks, the first of which collects: the first task of each, ascending, from 0. `wish`: tasks
// per collector; 0 or less: chosen automatically. `only_sends` (empty, or one per task): tasks that cannot collect,
// which belong to the group before them.
std::vector<std::int32_t> collector_groups(std::span<const std::int64_t> requests, std::int64_t block,
                                           std::int64_t wish, std::span<const std::uint8_t> only_sends = {});
// The widths of a group add up to a multiple of the block; its last task has the padding.
std::vector<std::int64_t> collective_widths(std::span<const std::int64_t> requests, std::int64_t block,
                                            std::span<const std::int32_t> groups);
// The collector has space for its group, the others for themselves.
std::vector<std::int64_t> merging_widths(std::span<const std::int64_t> requests, std::int64_t block,
                                         std::span<const std::int32_t> groups);

// Distributes tasks over physical files in blocks, the last of which takes the remainder.
struct FileShare {
  std::int32_t file = 0;
  std::int32_t local_task = 0;
  std::int32_t tasks = 0;  // of that file
};
// invalid_argument unless 1 <= files <= tasks and 0 <= task < tasks.
FileShare share_of_task(std::int32_t task, std::int32_t tasks, std::int32_t files);

}  // namespace lq::format::sion
