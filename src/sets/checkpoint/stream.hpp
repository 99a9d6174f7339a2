// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The stream of one task: written into chunks, and read from them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/multifile.hpp>

#include "base/bytes.hpp"
#include "format/sion/geometry.hpp"
#include "sets/checkpoint/record.hpp"
#include "storage/pinned_transport.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// Compression of streams, frame by frame. Frames are ordinary ones of zstd and lz4, not split between chunks, so the
// stored bytes of a task are a file that the programs zstd and lz4 decompress.

inline constexpr std::uint64_t largest_frame = 16ULL << 20;  // stream bytes in one frame

class Compressor {
 public:
  virtual ~Compressor() = default;
  // The largest compressed size of this number of bytes.
  virtual std::size_t bound(std::size_t raw_bytes) const = 0;
  // One frame; `to` has bound() bytes. Returns its size.
  virtual std::size_t compress(base::Bytes raw, base::MutableBytes to) = 0;
};

class Decompressor {
 public:
  virtual ~Decompressor() = default;
  // Decompresses the frame at the front of `stored` into `raw`, which is resized. Returns its stored bytes; malformed,
  // too_large: not a frame, or more than `largest_frame` bytes.
  virtual std::size_t decompress(base::Bytes stored, std::vector<std::byte>& raw) = 0;
};

// nullptr for `none`. unsupported: built without it; invalid_argument: unknown level.
std::unique_ptr<Compressor> make_compressor(Compression compression, int level);
std::unique_ptr<Decompressor> make_decompressor(Compression compression);

// The stream of one task in transit to its chunks: collected, compressed, summed, written, and recorded after each
// write, so that recorded data are in the file. Local; one thread at a time.

// The position of a task; the reserved bytes are part of its chunks' width.
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
  // Of the file, if another program may take over the set: checked before bytes are written to it.
  std::optional<SetRecord> claim = {};
  // For a new file: its name must be on disk before its data survive a crash of the machine.
  storage::Transport* folder = nullptr;
};

// Throws the errors of make_compressor(). The largest compressed frame of a full buffer, 0 uncompressed.
std::uint64_t frame_bound(const StreamSettings& settings);

class StreamWriter {
 public:
  // `file` must outlive the writer. unsupported: chunks too narrow for the compressed form of one byte.
  StreamWriter(storage::File& file, const StreamPlace& place, const StreamSettings& settings);
  // Continues after existing chunks: the last of them as recorded, in one of the two places.
  void resume(std::vector<std::int64_t> used, const ChunkRecord& last, int place_of_record);

  void write(base::Bytes bytes);
  // All data are in the file and recorded. wrong_state, also from write() and sync(): another program owns the set.
  void flush();
  void sync();

  std::int64_t task() const noexcept { return place_.number; }
  std::uint64_t size() const noexcept { return current_.begin + current_.stream_bytes() + buffer_.size(); }
  // Used bytes of each chunk.
  const std::vector<std::int64_t>& used() const noexcept { return used_; }

 private:
  void drain();  // writes the buffer to chunks
  // Writes to chunks, plain or compressed; `done` counts the bytes written, even if it throws.
  void put(base::Bytes bytes, std::size_t& done);
  void put_frame(base::Bytes raw);
  void put_in_chunk(base::Bytes bytes);  // must fit
  void record();
  void next_chunk();
  std::uint64_t room() const noexcept { return place_.width - reserved_bytes - current_.used; }

  storage::File& file_;
  StreamPlace place_;
  std::uint64_t buffer_bytes_;
  std::optional<SetRecord> claim_;
  storage::Transport* folder_;  // until the name of the file is on disk
  std::unique_ptr<Compressor> compressor_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> frame_;
  ChunkRecord current_;         // the current chunk, as in the file
  std::uint64_t recorded_ = 0;  // of its used bytes
  int next_record_ = 0;         // in which of the two places
  int synced_record_ = -1;      // the one promised by sync(), or by closing the set; -1: none in this chunk
  std::vector<std::int64_t> used_ = {0};
};

// The stream of one task, read from its chunks; no byte is returned before its chunk was compared with
// the checksum. Local; one thread at a time.

// The physical files of a set, opened on demand; thread-safe.
class OpenFiles {
 public:
  explicit OpenFiles(storage::Transport& transport) : transport_(transport) {}
  // For finding the set: files stay those that were examined.
  storage::PinnedTransport& transport() noexcept { return transport_; }
  // The files of the set found.
  void set_paths(std::vector<std::string> paths) {
    paths_ = std::move(paths);
    files_.clear();
    files_.resize(paths_.size());
  }
  storage::File& file(std::uint32_t number);
  const std::string& path(std::uint32_t number) const { return paths_.at(number); }

 private:
  storage::PinnedTransport transport_;
  std::vector<std::string> paths_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<storage::File>> files_;
};

// What a reader needs to know of a task.
struct TaskEntry {
  StreamPlace place;
  std::uint64_t size = 0;          // of the stream, including losses
  std::vector<std::int64_t> used;  // bytes of each chunk
  std::uint64_t lost = 0;        // bytes at the end of the stream that a repair did not find: reading them is an error
  std::uint64_t lost_chunk = 0;  // the first with missing data
  LossCause cause = {};          // the reason
};

inline auto members(TaskEntry& entry) {
  return std::tie(entry.place, entry.size, entry.lost, entry.lost_chunk, entry.cause, entry.used);
}

// What a reader needs to know of a set.
struct ReadSettings {
  std::optional<SetRecord> record;  // empty: written by another program
  bool verify = true;
};

class StreamReader {
 public:
  StreamReader(std::shared_ptr<OpenFiles> files, TaskEntry entry, const ReadSettings& settings);

  std::uint64_t size() const noexcept { return entry_.size; }
  // Shorter at the end. checksum_mismatch, malformed, truncated, io. truncated: some of the bytes are lost.
  std::size_t read_at(std::uint64_t position, base::MutableBytes buffer);
  // Checks every chunk in sequence; `failed` receives the errors. Returns how many were compared with a record.
  std::uint64_t check(const std::function<void(std::uint64_t chunk, const Error&)>& failed);

 private:
  bool is_compressed() const noexcept { return decompressor_ != nullptr; }
  bool has_checks() const noexcept { return settings_.record && settings_.record->checksums && settings_.verify; }
  std::uint64_t used(std::uint64_t chunk) const noexcept { return static_cast<std::uint64_t>(entry_.used[chunk]); }
  std::uint64_t kept() const noexcept { return entry_.size - entry_.lost; }
  storage::File& file() { return files_->file(entry_.place.file); }

  // The chunk that contains a byte of the stream, and its beginning in the stream.
  struct ChunkPosition {
    std::uint64_t chunk = 0;
    std::uint64_t begin = 0;
  };
  ChunkPosition find(std::uint64_t position);
  const ChunkRecord& record_of(std::uint64_t chunk);
  void read_exactly(std::uint64_t chunk, std::uint64_t position, base::MutableBytes buffer);
  // All used bytes of a chunk, compared.
  void read_checked(std::uint64_t chunk, base::MutableBytes whole);
  void require_checksum(std::uint64_t chunk, std::uint32_t sum);
  // Bytes of a chunk from a position on, up to its end.
  std::size_t read_plain(std::uint64_t chunk, std::uint64_t position, base::MutableBytes buffer);
  std::size_t read_compressed(std::uint64_t chunk, std::uint64_t position, base::MutableBytes buffer);
  void load_block(std::uint64_t chunk);
  void load_frame(std::uint64_t chunk, std::uint64_t position);
  [[noreturn]] void fail_lost();
  [[noreturn]] void fail(Code code, std::uint64_t chunk, const std::string& what, const std::string& expected = {},
                         const std::string& found = {});

  std::shared_ptr<OpenFiles> files_;
  TaskEntry entry_;
  ReadSettings settings_;
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<std::uint64_t> ends_;        // of chunks in the stream, uncompressed
  std::optional<ChunkRecord> record_;      // the one read last
  std::optional<std::uint64_t> checked_;   // the chunk whose bytes were compared last
  std::optional<std::uint64_t> block_of_;  // the chunk in block_, checked if there are checksums
  std::vector<std::byte> block_;
  std::vector<std::byte> frame_;   // a decompressed frame of that chunk
  std::uint64_t frame_begin_ = 0;  // in the chunk's part of the stream
  std::size_t next_frame_ = 0;     // position of the next frame in block_
};

}  // namespace lq::sets
