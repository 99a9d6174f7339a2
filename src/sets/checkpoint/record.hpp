// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data that this interface adds to the multifile format: records of 64 bytes at places that other readers ignore,
// little-endian, each with its own checksum (formats/sion-records.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/multifile.hpp>

#include "base/bytes.hpp"

namespace lq::sets {

inline constexpr std::size_t record_bytes = 64;
using RecordBytes = std::array<std::byte, record_bytes>;

// At the end of each chunk's width: two records, written alternately; if one is torn, the other is intact.
inline constexpr std::uint64_t reserved_bytes = 2 * record_bytes;
// In memory at a time; a chunk of compressed bytes is no larger.
inline constexpr std::uint64_t largest_compressed_chunk = 64ULL << 20;

// Random; distinguishes the files of a set from those of another set of the same name.
struct Generation {
  std::array<std::byte, 16> bytes{};
  friend bool operator==(const Generation&, const Generation&) = default;
  std::string text() const;  // 32 hexadecimal digits
};
Generation new_generation();
std::optional<Generation> parse_generation(std::string_view digits) noexcept;

// Identifies the writer of a set: incremented, with a new random number, whenever a set is repaired or appended to. A
// writer whose epoch is no longer in the file has lost the set to another.
struct Epoch {
  std::uint32_t count = 0;
  std::uint32_t holder = 0;
  friend bool operator==(const Epoch&, const Epoch&) = default;
};
Epoch epoch_after(const Epoch& epoch);

// After metadata block 1 of each physical file.
struct SetRecord {
  Generation generation;
  Compression compression = Compression::none;
  bool checksums = true;
  std::uint32_t file = 0;    // its number
  std::uint32_t tasks = 0;   // of this file
  std::uint32_t tables = 0;  // CRC-32 of the ranks and widths in metadata block 1
  Epoch epoch = {};
  std::uint32_t blocks = 0;  // of chunks, when it was last closed before an append
  friend bool operator==(const SetRecord&, const SetRecord&) = default;
};

// At the end of a chunk.
struct ChunkRecord {
  Generation generation;
  Compression compression = Compression::none;
  bool checksums = true;
  std::uint32_t file = 0;
  std::uint32_t task = 0;      // in that file
  std::uint32_t chunk = 0;     // of that task
  std::uint32_t checksum = 0;  // CRC-32 of the bytes in use
  std::uint64_t used = 0;
  std::uint64_t begin = 0;      // position of its first byte in the stream
  std::uint32_t raw_bytes = 0;  // of the stream in this chunk; for compressed ones only
  friend bool operator==(const ChunkRecord&, const ChunkRecord&) = default;

  std::uint64_t stream_bytes() const noexcept { return compression == Compression::none ? used : raw_bytes; }
};

// After metadata block 2 (and the map of tasks). Followed by the bytes of each stream, 8 each, if compressed.
struct TailRecord {
  Generation generation;
  bool was_repaired = false;
  std::uint32_t file = 0;
  std::uint32_t tasks = 0;
  std::uint64_t table_bytes = 0;  // of metadata block 2 with its map
  std::uint32_t table = 0;        // CRC-32 of these
  std::uint32_t sizes = 0;        // CRC-32 of the sizes of streams that follow
  std::uint32_t fields = 0;       // of file 0: their number in NAME.fields
  std::uint32_t losses = 0;       // number of losses after the sizes
  std::uint32_t losses_sum = 0;   // CRC-32 of these
  friend bool operator==(const TailRecord&, const TailRecord&) = default;
};

// Why the end of a stream is missing.
enum class LossCause : std::uint32_t { damaged = 1, without_record = 2, behind_gap = 3, cut_off = 4, file_missing = 5 };
std::string_view describe(LossCause cause) noexcept;

// After the tail record of a repaired set: data that a stream has lost.
inline constexpr std::size_t loss_bytes = 32;
struct StreamLoss {
  static constexpr std::uint32_t of_fields =
      0xffffffff;  // instead of a task: `bytes` fields after the first `position`
  static constexpr std::uint64_t most_bytes = 1ULL << 38;  // per loss, so that sums over all tasks cannot overflow

  std::uint32_t task = 0;  // in its file
  LossCause cause = LossCause::damaged;
  std::uint64_t chunk = 0;     // the first with missing data
  std::uint64_t position = 0;  // present end of the stream
  std::uint64_t bytes = 1;     // missing bytes of the stream, as far as known; at least 1
  friend bool operator==(const StreamLoss&, const StreamLoss&) = default;
};
std::vector<std::byte> encode(const std::vector<StreamLoss>& losses);
// Empty if a number is invalid.
std::optional<std::vector<StreamLoss>> decode_losses(base::Bytes bytes);

RecordBytes encode(const SetRecord& record) noexcept;
RecordBytes encode(const ChunkRecord& record) noexcept;
RecordBytes encode(const TailRecord& record) noexcept;

// Empty unless the bytes are such a record, and intact.
std::optional<SetRecord> decode_set_record(base::Bytes bytes) noexcept;
std::optional<ChunkRecord> decode_chunk_record(base::Bytes bytes) noexcept;
std::optional<TailRecord> decode_tail_record(base::Bytes bytes) noexcept;
// True if the bytes were meant to be one, damaged or of a later version: their magic is right, or all but their magic.
bool looks_like_set_record(base::Bytes bytes) noexcept;
bool looks_like_tail_record(base::Bytes bytes) noexcept;

}  // namespace lq::sets
