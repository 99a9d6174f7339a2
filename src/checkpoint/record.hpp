// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What this interface keeps in a multifile beside the format: records of 64 bytes at places that other readers ignore,
// little-endian, each with a checksum of its own (formats/sion-records.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <limequat/multifile.hpp>

#include "base/bytes.hpp"

namespace lq::checkpoint {

inline constexpr std::size_t record_bytes = 64;
using RecordBytes = std::array<std::byte, record_bytes>;

// At the end of each chunk's width, two records that are written in turn: a torn one leaves the other.
inline constexpr std::uint64_t reserved_bytes = 2 * record_bytes;
// In memory at a time; a chunk of compressed bytes is no larger.
inline constexpr std::uint64_t largest_compressed_chunk = 64ULL << 20;

// Random; tells the files of a set from those of another of the same name.
struct Generation {
  std::array<std::byte, 16> bytes{};
  friend bool operator==(const Generation&, const Generation&) = default;
  std::string text() const;  // 32 hexadecimal digits
};
Generation new_generation();
std::optional<Generation> parse_generation(std::string_view digits) noexcept;

// Behind metadata block 1 of each physical file.
struct SetRecord {
  Generation generation;
  Compression compression = Compression::none;
  bool checksums = true;
  std::uint32_t file = 0;    // its number
  std::uint32_t tasks = 0;   // of this file
  std::uint32_t tables = 0;  // CRC-32 of the ranks and widths in metadata block 1
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
  std::uint32_t raw_bytes = 0;  // of the stream in this chunk; of compressed ones only
  friend bool operator==(const ChunkRecord&, const ChunkRecord&) = default;

  std::uint64_t stream_bytes() const noexcept { return compression == Compression::none ? used : raw_bytes; }
};

// Behind metadata block 2 (and the map of tasks). Followed by the bytes of each stream, 8 each, if compressed.
struct TailRecord {
  Generation generation;
  bool was_repaired = false;
  std::uint32_t file = 0;
  std::uint32_t tasks = 0;
  std::uint64_t table_bytes = 0;  // of metadata block 2 with its map
  std::uint32_t table = 0;        // CRC-32 of these
  std::uint32_t sizes = 0;        // CRC-32 of what follows
  std::uint32_t fields = 0;       // of file 0: how many there are in NAME.fields
  friend bool operator==(const TailRecord&, const TailRecord&) = default;
};

RecordBytes encode(const SetRecord& record) noexcept;
RecordBytes encode(const ChunkRecord& record) noexcept;
RecordBytes encode(const TailRecord& record) noexcept;

// Nothing unless the bytes are such a record, and a whole one.
std::optional<SetRecord> decode_set_record(base::Bytes bytes) noexcept;
std::optional<ChunkRecord> decode_chunk_record(base::Bytes bytes) noexcept;
std::optional<TailRecord> decode_tail_record(base::Bytes bytes) noexcept;
// Whether the bytes were meant to be a set record, damaged or of a later version.
bool looks_like_set_record(base::Bytes bytes) noexcept;

}  // namespace lq::checkpoint
