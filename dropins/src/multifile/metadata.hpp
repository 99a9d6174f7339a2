// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The metadata blocks of one physical file of a set, and the messages between tasks about them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/wire.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"
#include "format/sion/tail.hpp"
#include "storage/transport.hpp"

namespace lq::multifile {

// Bytes; 2 MiB if the file system gives no sensible answer. `path` exists.
std::int32_t block_size_of(storage::Transport& transport, const std::string& path);

// For a file being written. Between its two writes it holds no table of tasks.
class MetadataWriter {
 public:
  // `syncs`: the file is synced after its tail is written.
  explicit MetadataWriter(std::unique_ptr<storage::File> file, bool syncs = false)
      : file_(std::move(file)), syncs_(syncs) {}

  // Metadata block 1 except for its last 12 bytes: not closed. Returns the positions of its chunks. too_large:
  // chunks that add up to more than 2^63 - 1 bytes.
  format::sion::Geometry write_head(const format::sion::Head& head);
  // Metadata block 2, then its position in block 1: a file whose writer dies in between is unclosed, not damaged.
  // `unused`: filler of columns that end early.
  void write_tail(const format::sion::Tail& tail, std::int64_t unused = 0);

 private:
  std::unique_ptr<storage::File> file_;
  bool syncs_;
  format::sion::FixedHead head_;
  std::uint64_t start_ = 0;  // of the first chunk
  std::uint64_t skip_ = 0;   // distance between blocks
};

struct Metadata {
  std::string path;
  format::sion::Head head;
  format::sion::Geometry geometry;
  format::sion::Tail tail;
};

// Throws Error: the errors of reading; truncated for a file that was not closed.
Metadata read_metadata(storage::Transport& transport, const std::string& path);

// Information from the task with the metadata of a physical file for the others, each about its own logical file.

// Followed by the filled bytes of each chunk.
struct Description {
  format::sion::ChunkPlaces places;
  std::int64_t rank = 0;
  std::uint64_t chunks = 0;  // this many numbers follow; 0: it is written
  std::int32_t file = 0;
  std::int32_t files = 1;  // of the set
  std::int32_t number = 0;
  std::int32_t tasks = 0;  // of this file
  std::int32_t block_size = 1;
  format::sion::KeyValueMode key_values = format::sion::KeyValueMode::none;
  ByteOrder metadata_order = format::sion::host_order;
  ByteOrder data_order = format::sion::host_order;
};

// About local task `number` of physical file `file`, which may state another number.
inline void append_description(std::vector<std::byte>& bytes, const format::sion::FixedHead& head,
                               const format::sion::Geometry& geometry, std::int32_t file, std::int32_t number,
                               std::int64_t rank, std::span<const std::int64_t> used = {}) {
  comm::append(bytes, Description{geometry.places(number), rank, used.size(), file, head.files, number, head.tasks,
                                  head.block_size, head.key_value_mode(), head.metadata_order, head.data_order});
  comm::append_all(bytes, used);
}

}  // namespace lq::multifile
