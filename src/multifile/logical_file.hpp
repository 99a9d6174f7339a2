// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The stream of one task: where its chunks lie, how far they are filled, and where its cursor stands. Arithmetic only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace lq::multifile {

// Where a task lies in a set: physical file and number in it, and how many there are of each.
struct Seat {
  std::int32_t file = 0;
  std::int32_t files = 1;
  std::int32_t task = 0;
  std::int32_t tasks = 1;  // of this physical file
  bool is_rank = false;    // one physical file whose tasks are numbered as the ranks are, on every rank
};

// Widths and positions are bytes.
class LogicalFile {
 public:
  struct Place {
    std::uint64_t start = 0;  // of chunk 0 in the physical file
    std::uint64_t width = 0;  // of each chunk
    std::uint64_t skip = 0;   // from a chunk to the next
  };

  LogicalFile() = default;
  // For writing: one empty chunk.
  explicit LogicalFile(const Place& place) : place_(place), used_(1) {}
  // For reading: at least one chunk, each filled at most to its width.
  LogicalFile(const Place& place, std::vector<std::int64_t> used) : place_(place), used_(std::move(used)) {}

  const Place& place() const noexcept { return place_; }
  std::uint64_t width() const noexcept { return place_.width; }
  const std::vector<std::int64_t>& used() const noexcept { return used_; }
  std::uint64_t chunks() const noexcept { return used_.size(); }
  std::uint64_t used(std::uint64_t chunk) const noexcept { return static_cast<std::uint64_t>(used_[chunk]); }
  // All filled bytes.
  std::uint64_t size() const noexcept;

  // The cursor.
  std::uint64_t chunk() const noexcept { return chunk_; }
  std::uint64_t position() const noexcept { return position_; }  // in the chunk
  std::uint64_t offset() const noexcept { return offset_of(chunk_) + position_; }
  std::uint64_t offset_of(std::uint64_t chunk) const noexcept { return place_.start + chunk * place_.skip; }
  // Filled bytes before the cursor.
  std::uint64_t logical_position() const noexcept;
  // Filled bytes of this chunk behind the cursor.
  std::uint64_t rest() const noexcept {
    const std::uint64_t filled = used(chunk_);
    return filled > position_ ? filled - position_ : 0;
  }
  // Unused room of this chunk behind the cursor.
  std::uint64_t room() const noexcept { return place_.width > position_ ? place_.width - position_ : 0; }
  bool is_last_chunk() const noexcept { return chunk_ + 1 == used_.size(); }

  void move_to(std::uint64_t chunk, std::uint64_t position) noexcept;
  // Behind the bytes just written or read here; when writing, the chunk counts as filled that far.
  void advance(std::uint64_t bytes) noexcept { position_ += bytes; }
  void mark_filled() noexcept;
  // Reading: to the beginning of the next chunk, which there is.
  void step() noexcept { move_to(chunk_ + 1, 0); }
  // Writing: a new chunk, or the next one that there is. Throws Error(too_large) past 2^63 - 1.
  void append_chunk();

  // Chunk and position of a byte of the stream, size() included; what lies on a border is at the end of the earlier
  // chunk.
  struct Spot {
    std::uint64_t chunk = 0;
    std::uint64_t position = 0;
  };
  // For reading.
  std::optional<Spot> find(std::uint64_t logical_position) const;

 private:
  Place place_;
  std::vector<std::int64_t> used_;
  mutable std::vector<std::uint64_t> ends_;  // of chunks in the stream, once asked for
  std::uint64_t chunk_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace lq::multifile
