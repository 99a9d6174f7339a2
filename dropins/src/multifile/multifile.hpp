// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An open multifile: the logical files that this process reads or writes, one of which is selected, and the physical
// files that contain them. How it was opened (one task of many, all tasks, a mapped selection) concerns the classes
// derived from this. Local unless stated otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "format/sion/head.hpp"
#include "format/sion/stream.hpp"
#include "format/sion/tail.hpp"
#include "multifile/channel.hpp"

namespace lq::multifile {

// The key-value records of a stream for reading: found on demand, with a position for each key.
// `read` returns bytes of the stream.
class KeyIndex {
 public:
  using ReadStream = format::sion::KeyWalker::ReadStream;
  using Record = format::sion::KeyRecord;

  // `stream` names the stream in messages.
  KeyIndex(std::uint64_t stream_bytes, ByteOrder order, std::string stream);

  // At most to the end of the current record of this key, whole items of `item` bytes only; the next call continues,
  // with the next record of the key if this one is at its end. 0: there is none.
  std::size_t read(const ReadStream& read, std::uint64_t key, std::size_t item, base::MutableBytes buffer);

  // Record `record` of a key and a byte of it, its length included; no record or position: the current one. false: it
  // does not exist.
  bool seek(const ReadStream& read, std::uint64_t key, std::optional<std::uint64_t> record,
            std::optional<std::uint64_t> position);

  // A byte of all data of a key, with its records concatenated; false: it does not exist.
  bool seek_bytes(const ReadStream& read, std::uint64_t key, std::uint64_t position);

  // Records in stream order; the returned one becomes the key's current record.
  void begin_records() noexcept { next_record_ = 0; }
  std::optional<Record> next_record(const ReadStream& read);

  // All headers.
  void scan_all(const ReadStream& read);
  // Keys known so far, in the order in which they first appear.
  void begin_keys() noexcept { next_key_ = 0; }
  std::optional<std::uint64_t> next_key();

  struct Statistics {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
  };
  // For a known key.
  std::optional<Statistics> statistics(std::uint64_t key) const;

  // Shows only this key.
  void restrict_to(std::uint64_t key) noexcept { only_ = key; }

 private:
  struct Key {
    std::vector<std::size_t> records;  // indices into records_
    std::size_t current = 0;
    std::uint64_t position = 0;  // in the current record
  };

  // One more record; false at the end.
  bool scan_one(const ReadStream& read);
  // Scans until the key has that many records; nullptr if it never has.
  Key* find(const ReadStream& read, std::uint64_t key, std::size_t records);

  std::uint64_t stream_bytes_;
  ByteOrder order_;
  std::string stream_;
  std::uint64_t scanned_ = 0;  // bytes of the stream
  bool complete_ = false;
  std::vector<Record> records_;
  std::map<std::uint64_t, Key> keys_;
  std::size_t next_record_ = 0;
  std::vector<std::uint64_t> key_order_;  // the keys in keys_, in order of discovery
  std::size_t next_key_ = 0;              // in it
  std::optional<std::uint64_t> only_;
};

using format::sion::LogicalFile;

// Facts shared by all tasks of a multifile, in the form sent between them.
struct SetFacts {
  std::int64_t tasks_of_set = 1;  // all of them, wherever they are open
  std::int32_t block_size = 1;    // of the file system
  std::int32_t files = 1;         // of the set
  std::int32_t file_number = 0;   // of the selected task, if there is only one
  format::sion::KeyValueMode key_values = format::sion::KeyValueMode::none;
  ByteOrder metadata_order = format::sion::host_order;
  ByteOrder data_order = format::sion::host_order;
};
SetFacts facts_of(const format::sion::FixedHead& head, std::int64_t tasks_of_set);

struct Facts : SetFacts {
  std::string path;  // of file 0
  Direction direction = Direction::read;
};

class Multifile {
 public:
  // A task that is open here.
  struct Task {
    std::int64_t rank = 0;    // global, as stored
    std::int32_t file = 0;    // number of its physical file
    std::int32_t number = 0;  // in that file
    std::size_t channel = 0;  // index into channels()
    LogicalFile stream = {};
    std::unique_ptr<KeyIndex> keys = {};  // created on first use
  };

  virtual ~Multifile();
  Multifile(const Multifile&) = delete;
  Multifile& operator=(const Multifile&) = delete;

  const Facts& facts() const noexcept { return facts_; }
  bool writes() const noexcept { return facts_.direction == Direction::write; }

  // Tasks that are open here, and the selected one. There is none only if a mapped open gave a process no task:
  // then calls that need one throw wrong_state.
  std::size_t tasks() const noexcept { return tasks_.size(); }
  const Task& task(std::size_t index) const { return tasks_.at(index); }
  Task& selected();
  const Task& selected() const;
  std::size_t selected_index() const noexcept { return selected_; }
  void select(std::size_t index);
  std::vector<std::unique_ptr<Channel>>& channels() noexcept { return channels_; }
  Channel& channel();  // of the selected task
  const std::string& channel_path(std::size_t index) const { return channels_.at(index)->path(); }

  // If the stream was shared, others may have read or written: updates the position. All operations below begin so.
  // Throws wrong_state if they wrote past the end of the chunk.
  void catch_up();
  // Leaves a shared stream at the cursor.
  void place_stream();

  // Writing. Ensures that `bytes` fit into the current chunk, or goes to the next; false if they fit into none.
  bool ensure_space(std::uint64_t bytes);
  // Into one chunk; false if they fit into none.
  bool write(base::Bytes bytes);
  // Over as many chunks as needed.
  void write_across(base::Bytes bytes);
  void flush();

  // Reading. From the current chunk or, at its end, from the next: shorter at the end.
  std::size_t read(base::MutableBytes buffer);
  // At the end of a chunk goes to the next one. true: there is none.
  bool is_at_end();
  // Bytes of the stream from a position on, across chunks; the cursor stays. Shorter at the end.
  std::size_t read_stream(std::uint64_t logical_position, base::MutableBytes buffer);
  void seek(const LogicalFile::ChunkPosition& spot);

  // Key-value records of the selected task, for reading.
  KeyIndex& keys();

  // Collective if the open was. The last call; errors are the same on all ranks.
  virtual void close() = 0;

 protected:
  explicit Multifile(Facts facts) : facts_(std::move(facts)) {}

  // Adds a task; the same, from its description at the front of `bytes`, with common facts.
  Task& add_task(std::int64_t rank, const format::sion::Place& place, std::size_t channel, LogicalFile stream);
  Task& add_task(base::Bytes& bytes);
  void close_channels();

  Facts facts_;
  std::vector<Task> tasks_;
  std::vector<std::unique_ptr<Channel>> channels_;

 private:
  void require_direction(Direction direction) const;

  std::size_t selected_ = 0;
};

}  // namespace lq::multifile
