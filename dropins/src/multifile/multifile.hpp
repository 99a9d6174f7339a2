// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An open multifile: the logical files that this process reads or writes, one of which is selected, and the physical
// files under them. How it was opened (one task of many, all tasks, a mapped selection) is a matter of the classes
// derived from this. Local unless it says otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "format/sion/head.hpp"
#include "format/sion/stream.hpp"
#include "multifile/channel.hpp"
#include "multifile/key_index.hpp"

namespace lq::multifile {

using format::sion::LogicalFile;

// What all tasks of a multifile share.
struct Facts {
  std::string path;  // of file 0
  Direction direction = Direction::read;
  ByteOrder metadata_order = format::sion::host_order;
  ByteOrder data_order = format::sion::host_order;
  std::int32_t block_size = 1;  // of the file system
  format::sion::KeyValueMode key_values = format::sion::KeyValueMode::none;
  std::int32_t files = 1;         // of the set
  std::int32_t file_number = 0;   // of the selected task, where there is but one
  std::int64_t tasks_of_set = 1;  // all of them, wherever they are open
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
    std::unique_ptr<KeyIndex> keys = {};  // once asked for
  };

  virtual ~Multifile();
  Multifile(const Multifile&) = delete;
  Multifile& operator=(const Multifile&) = delete;

  const Facts& facts() const noexcept { return facts_; }
  bool writes() const noexcept { return facts_.direction == Direction::write; }

  // Tasks that are open here, and the selected one. There is none only where a mapped open gave a process no task:
  // what needs one throws wrong_state.
  std::size_t tasks() const noexcept { return tasks_.size(); }
  const Task& task(std::size_t index) const { return tasks_.at(index); }
  Task& selected();
  const Task& selected() const;
  std::size_t selected_index() const noexcept { return selected_; }
  void select(std::size_t index);
  std::vector<std::unique_ptr<Channel>>& channels() noexcept { return channels_; }
  Channel& channel();  // of the selected task
  const std::string& channel_path(std::size_t index) const { return channels_.at(index)->path(); }

  // Where the stream was shared, others may have read or written: looks where it stands. All operations below begin so.
  // Throws wrong_state where they wrote past the end of the chunk.
  void catch_up();
  // Leaves a shared stream where the cursor stands.
  void place_stream();

  // Writing. Makes sure that `bytes` fit into the current chunk, or goes to the next; false where they fit into none.
  bool ensure_space(std::uint64_t bytes);
  // Into one chunk; false where they fit into none.
  bool write(base::Bytes bytes);
  // Over as many chunks as it takes.
  void write_across(base::Bytes bytes);
  void flush();

  // Reading. From the current chunk, or where that is at its end from the next: as many bytes as there are.
  std::size_t read(base::MutableBytes buffer);
  // At the end of a chunk goes to the next one. true: there is none.
  bool is_at_end();
  // Bytes of the stream from a position on, whatever chunks they are in; the cursor stays. As many as there are.
  std::size_t read_stream(std::uint64_t logical_position, base::MutableBytes buffer);
  void seek(const LogicalFile::Spot& spot);

  // Key-value records of the selected task, for reading.
  KeyIndex& keys();

  // Collective where the open was. The last call; errors are the same on all ranks.
  virtual void close() = 0;

 protected:
  explicit Multifile(Facts facts) : facts_(std::move(facts)) {}

  // One more task, as the front of `bytes` describes it, and what all have in common.
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
