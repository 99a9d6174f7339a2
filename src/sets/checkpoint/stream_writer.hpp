// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The stream of one task on its way into chunks: collected, compressed, summed, written, and recorded after each
// write, so that what is recorded is in the file. Local; one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "format/sion/geometry.hpp"
#include "sets/checkpoint/compression.hpp"
#include "sets/checkpoint/record.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// Where a task lies; what is reserved is part of the width of its chunks.
struct StreamPlace : format::sion::ChunkPlaces {
  std::uint32_t file = 0;
  std::uint32_t task = 0;   // in that file
  std::int64_t number = 0;  // in the set

  std::uint64_t records_offset(std::uint64_t chunk) const noexcept { return offset(chunk) + width - reserved_bytes; }
};

struct StreamSettings {
  Generation generation;
  Compression compression = Compression::none;
  int level = 0;
  bool checksums = true;
  std::uint64_t buffer_bytes = 256 * 1024;
  // Of the file, where another program may take the set over: looked at before bytes go into it.
  std::optional<SetRecord> claim = {};
};

// Throws what make_compressor() throws. What a compressed frame of a full buffer may take, 0 uncompressed.
std::uint64_t frame_bound(const StreamSettings& settings);

class StreamWriter {
 public:
  // `file` outlives the writer. unsupported: chunks too narrow for what compression makes of a byte.
  StreamWriter(storage::File& file, const StreamPlace& place, const StreamSettings& settings);
  // Goes on behind chunks that are there: the last of them as recorded, in one of the two places.
  void resume(std::vector<std::int64_t> used, const ChunkRecord& last, int place_of_record);

  void write(base::Bytes bytes);
  // All of it is in the file and recorded. wrong_state, as of write() and sync(): the set is another program's now.
  void flush();
  void sync();

  std::int64_t task() const noexcept { return place_.number; }
  std::uint64_t size() const noexcept { return current_.begin + current_.stream_bytes() + buffer_.size(); }
  // Filled bytes of each chunk.
  const std::vector<std::int64_t>& used() const noexcept { return used_; }

 private:
  void drain();  // the buffer into chunks
  // Into chunks, as they are or compressed; `done` counts those that are there, also when it throws.
  void put(base::Bytes bytes, std::size_t& done);
  void put_frame(base::Bytes raw);
  void put_in_chunk(base::Bytes bytes);  // which fit
  void record();
  void next_chunk();
  std::uint64_t room() const noexcept { return place_.width - reserved_bytes - current_.used; }

  storage::File& file_;
  StreamPlace place_;
  std::uint64_t buffer_bytes_;
  std::optional<SetRecord> claim_;
  std::unique_ptr<Compressor> compressor_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> frame_;
  ChunkRecord current_;         // the chunk being filled, as in the file
  std::uint64_t recorded_ = 0;  // of its used bytes
  int next_record_ = 0;         // which of the two places
  std::vector<std::int64_t> used_ = {0};
};

}  // namespace lq::sets
