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
#include <vector>

#include <limequat/multifile.hpp>

#include "base/bytes.hpp"

namespace lq::sets {

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

// Who may write into a set: counted up, with a new random number, by whoever repairs it or goes on with it. A writer
// whose epoch is no longer in the file has lost the set to another.
struct Epoch {
  std::uint32_t count = 0;
  std::uint32_t holder = 0;
  friend bool operator==(const Epoch&, const Epoch&) = default;
};
Epoch epoch_after(const Epoch& epoch);

// Behind metadata block 1 of each physical file.
struct SetRecord {
  Generation generation;
  Compression compression = Compression::none;
  bool checksums = true;
  std::uint32_t file = 0;    // its number
  std::uint32_t tasks = 0;   // of this file
  std::uint32_t tables = 0;  // CRC-32 of the ranks and widths in metadata block 1
  Epoch epoch = {};
  std::uint32_t blocks = 0;  // of chunks, when it was closed before it was gone on with
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
  std::uint32_t sizes = 0;        // CRC-32 of the sizes of streams that follow
  std::uint32_t fields = 0;       // of file 0: how many there are in NAME.fields
  std::uint32_t losses = 0;       // how many stand after the sizes
  std::uint32_t losses_sum = 0;   // CRC-32 of these
  friend bool operator==(const TailRecord&, const TailRecord&) = default;
};

// Why the end of a stream is not there.
enum class LossCause : std::uint32_t { damaged = 1, without_record = 2, behind_gap = 3, cut_off = 4, file_missing = 5 };
std::string_view describe(LossCause cause) noexcept;

// Behind the tail record of a set that was repaired: what a stream had and has no longer.
inline constexpr std::size_t loss_bytes = 32;
struct StreamLoss {
  static constexpr std::uint32_t of_fields =
      0xffffffff;  // instead of a task: `bytes` fields after the first `position`
  static constexpr std::uint64_t most_bytes = 1ULL << 38;  // said of one, so that sums over all tasks hold

  std::uint32_t task = 0;  // in its file
  LossCause cause = LossCause::damaged;
  std::uint64_t chunk = 0;     // the first of which something is missing
  std::uint64_t position = 0;  // in the stream, where it ends now
  std::uint64_t bytes = 1;     // of the stream that are missing, as far as known; 1 at least
  friend bool operator==(const StreamLoss&, const StreamLoss&) = default;
};
std::vector<std::byte> encode(const std::vector<StreamLoss>& losses);
// Nothing where a number has no meaning.
std::optional<std::vector<StreamLoss>> decode_losses(base::Bytes bytes);

RecordBytes encode(const SetRecord& record) noexcept;
RecordBytes encode(const ChunkRecord& record) noexcept;
RecordBytes encode(const TailRecord& record) noexcept;

// Nothing unless the bytes are such a record, and a whole one.
std::optional<SetRecord> decode_set_record(base::Bytes bytes) noexcept;
std::optional<ChunkRecord> decode_chunk_record(base::Bytes bytes) noexcept;
std::optional<TailRecord> decode_tail_record(base::Bytes bytes) noexcept;
// Whether the bytes were meant to be one, damaged or of a later version: their magic is right, or all but their magic.
bool looks_like_set_record(base::Bytes bytes) noexcept;
bool looks_like_tail_record(base::Bytes bytes) noexcept;

}  // namespace lq::sets
