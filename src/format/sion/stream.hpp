// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The stream of a task, independent of its division into chunks: a logical file. The chunk of a byte, a cursor,
// and in key-value mode the records in it: a key, a length, and data, in sequence (formats/sion.md 6).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "format/sion/head.hpp"
#include "format/sion/set.hpp"

namespace lq::format::sion {

// A contiguous part of a stream.
struct StreamRange {
  std::uint64_t offset = 0;  // in the physical file
  std::uint64_t length = 0;
};

// Arithmetic only. Widths and positions are bytes.
class LogicalFile {
 public:
  // Fills `part` with the bytes of the physical file from `offset` on, fewer at its end; returns
  // their number.
  using Read = std::function<std::size_t(std::uint64_t offset, base::MutableBytes part)>;

  LogicalFile() = default;
  // For writing: one empty chunk.
  explicit LogicalFile(const ChunkPlaces& places) : places_(places), used_(1) {}
  // For reading: at least one chunk, each filled at most to its width.
  LogicalFile(const ChunkPlaces& places, std::vector<std::int64_t> used) : places_(places), used_(std::move(used)) {}
  // A local task of `file`, which has its table.
  LogicalFile(const PhysicalFile& file, std::int32_t task);

  const ChunkPlaces& places() const noexcept { return places_; }
  std::uint64_t width() const noexcept { return places_.width; }
  const std::vector<std::int64_t>& used() const noexcept { return used_; }
  std::uint64_t chunks() const noexcept { return used_.size(); }
  std::uint64_t used(std::uint64_t chunk) const noexcept { return static_cast<std::uint64_t>(used_[chunk]); }
  // All filled bytes.
  std::uint64_t size() const noexcept;

  // The cursor.
  std::uint64_t chunk() const noexcept { return chunk_; }
  std::uint64_t position() const noexcept { return position_; }  // in the chunk
  std::uint64_t offset() const noexcept { return offset_of(chunk_) + position_; }
  std::uint64_t offset_of(std::uint64_t chunk) const noexcept { return places_.offset(chunk); }
  // Filled bytes before the cursor.
  std::uint64_t logical_position() const noexcept;
  // Filled bytes of this chunk after the cursor.
  std::uint64_t rest() const noexcept {
    const std::uint64_t filled = used(chunk_);
    return filled > position_ ? filled - position_ : 0;
  }
  // Unused space of this chunk after the cursor.
  std::uint64_t room() const noexcept { return places_.width > position_ ? places_.width - position_ : 0; }
  bool is_last_chunk() const noexcept { return chunk_ + 1 == used_.size(); }

  void move_to(std::uint64_t chunk, std::uint64_t position) noexcept;
  // Moves past the bytes just written or read here; when writing, the chunk counts as filled up to there.
  void advance(std::uint64_t bytes) noexcept { position_ += bytes; }
  void mark_filled() noexcept;
  // Reading: to the beginning of the next chunk, which must exist.
  void step() noexcept { move_to(chunk_ + 1, 0); }
  // Writing: a new chunk, or the next existing one. Throws Error(too_large) past 2^63 - 1.
  void append_chunk();

  // The following are for reading; the cursor stays.
  // Chunk and position of a byte of the stream, size() included; a border belongs to the end of the earlier
  // chunk.
  struct ChunkPosition {
    std::uint64_t chunk = 0;
    std::uint64_t position = 0;
  };
  std::optional<ChunkPosition> find(std::uint64_t logical_position) const;
  // Calls `work` for the pieces of `length` bytes from `logical_position` on, fewer at the end.
  void for_each(std::uint64_t logical_position, std::uint64_t length,
                const std::function<void(const StreamRange&)>& work) const;
  // Reads bytes from there on; returns their number.
  std::size_t read(std::uint64_t logical_position, base::MutableBytes buffer, const Read& read) const;

 private:
  ChunkPlaces places_;
  std::vector<std::int64_t> used_;
  mutable std::vector<std::uint64_t> ends_;  // of chunks in the stream, computed on first use
  std::uint64_t chunk_ = 0;
  std::uint64_t position_ = 0;
};

inline constexpr std::size_t record_header_bytes = 16;

struct KeyRecord {
  std::uint64_t key = 0;
  std::uint64_t length = 0;
  std::uint64_t position = 0;  // of the data in the stream
};

std::array<std::byte, record_header_bytes> encode_record_header(std::uint64_t key, std::uint64_t length,
                                                                ByteOrder order) noexcept;

// From record to record; data are skipped.
class KeyWalker {
 public:
  // Reads bytes of the stream from `position` on into all of `buffer`, fewer at the end; returns their number.
  using ReadStream = std::function<std::size_t(std::uint64_t position, base::MutableBytes buffer)>;

  // `stream` names the stream in messages.
  KeyWalker(ReadStream read, std::uint64_t stream_bytes, ByteOrder order, std::string stream);

  // The next record; empty at the end. Throws Error: malformed or truncated if a record ends after the end of
  // the stream, which also ends the walk.
  std::optional<KeyRecord> next();
  // Where the next record begins.
  std::uint64_t position() const noexcept { return position_; }
  // Continues with the record that begins there.
  void seek(std::uint64_t position) noexcept { position_ = position; }

 private:
  ReadStream read_;
  std::uint64_t stream_bytes_;
  ByteOrder order_;
  std::string stream_;
  std::uint64_t position_ = 0;
};

// The key-value records of a local task, read through a window; `source` is the open file, and must outlive the walker.
KeyWalker walk_records(const PhysicalFile& file, std::int32_t task, base::ByteSource& source);

}  // namespace lq::format::sion
