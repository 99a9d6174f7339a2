// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The stream of one task: written into chunks, and read out of them.
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

// Compression of streams, frame by frame. Frames are ordinary ones of zstd and lz4, whole within a chunk, so that the
// stored bytes of a task are a file that the programs zstd and lz4 decompress.

inline constexpr std::uint64_t largest_frame = 16ULL << 20;  // of stream bytes in one frame

class Compressor {
 public:
  virtual ~Compressor() = default;
  // The most that the given number of bytes become.
  virtual std::size_t bound(std::size_t raw_bytes) const = 0;
  // One frame; `to` has bound() bytes. Returns what it took.
  virtual std::size_t compress(base::Bytes raw, base::MutableBytes to) = 0;
};

class Decompressor {
 public:
  virtual ~Decompressor() = default;
  // The frame at the front of `stored` into `raw`, which is resized. Returns its stored bytes; malformed, too_large: it
  // is no frame, or of more than `largest_frame` bytes.
  virtual std::size_t decompress(base::Bytes stored, std::vector<std::byte>& raw) = 0;
};

// nullptr for `none`. unsupported: built without it; invalid_argument: there is no such level.
std::unique_ptr<Compressor> make_compressor(Compression compression, int level);
std::unique_ptr<Decompressor> make_decompressor(Compression compression);

// The stream of one task on its way into chunks: collected, compressed, summed, written, and recorded after each
// write, so that what is recorded is in the file. Local; one thread at a time.

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
  // Where the file is new: the disk must know its name before what is in it survives the end of the machine.
  storage::Transport* folder = nullptr;
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
  storage::Transport* folder_;  // until the disk knows the name of the file
  std::unique_ptr<Compressor> compressor_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> frame_;
  ChunkRecord current_;         // the chunk being filled, as in the file
  std::uint64_t recorded_ = 0;  // of its used bytes
  int next_record_ = 0;         // which of the two places
  int synced_record_ = -1;      // the one that sync(), or who closed the set, has promised; -1: none in this chunk
  std::vector<std::int64_t> used_ = {0};
};

// The stream of one task, read out of its chunks; no byte is handed out before the chunk it lies in was compared with
// its checksum. Local; one thread at a time.

// The physical files of a set, opened when they are needed; for use by several threads.
class OpenFiles {
 public:
  explicit OpenFiles(storage::Transport& transport) : transport_(transport) {}
  // To find the set with: its files stay those that were looked into.
  storage::PinnedTransport& transport() noexcept { return transport_; }
  // The files of the set that was found.
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

// What a reader must know of a task.
struct TaskEntry {
  StreamPlace place;
  std::uint64_t size = 0;          // of the stream, with what is lost
  std::vector<std::int64_t> used;  // bytes of each chunk
  std::uint64_t lost = 0;        // bytes at the end of the stream that a repair did not find: reading them is an error
  std::uint64_t lost_chunk = 0;  // the first of which something is missing
  LossCause cause = {};          // why
};

inline auto members(TaskEntry& entry) {
  return std::tie(entry.place, entry.size, entry.lost, entry.lost_chunk, entry.cause, entry.used);
}

// What a reader must know of a set.
struct ReadSettings {
  std::optional<SetRecord> record;  // nothing: written by another program
  bool verify = true;
};

class StreamReader {
 public:
  StreamReader(std::shared_ptr<OpenFiles> files, TaskEntry entry, const ReadSettings& settings);

  std::uint64_t size() const noexcept { return entry_.size; }
  // As many bytes as there are. checksum_mismatch, malformed, truncated, io. truncated: some of them are lost.
  std::size_t read_at(std::uint64_t position, base::MutableBytes buffer);
  // Every chunk, one after the other; `failed` is told what is wrong. Returns how many were compared with a record.
  std::uint64_t check(const std::function<void(std::uint64_t chunk, const Error&)>& failed);

 private:
  bool is_compressed() const noexcept { return decompressor_ != nullptr; }
  bool has_checks() const noexcept { return settings_.record && settings_.record->checksums && settings_.verify; }
  std::uint64_t used(std::uint64_t chunk) const noexcept { return static_cast<std::uint64_t>(entry_.used[chunk]); }
  std::uint64_t kept() const noexcept { return entry_.size - entry_.lost; }
  storage::File& file() { return files_->file(entry_.place.file); }

  // The chunk that holds a byte of the stream, and where it begins in the stream.
  struct Spot {
    std::uint64_t chunk = 0;
    std::uint64_t begin = 0;
  };
  Spot find(std::uint64_t position);
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
  std::optional<std::uint64_t> block_of_;  // the chunk that block_ holds, checked where there are checks
  std::vector<std::byte> block_;
  std::vector<std::byte> frame_;   // a decompressed one of that chunk
  std::uint64_t frame_begin_ = 0;  // in the chunk's part of the stream
  std::size_t next_frame_ = 0;     // where the frame after it begins in block_
};

}  // namespace lq::sets
