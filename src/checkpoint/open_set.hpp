// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set opened for reading by a group of ranks. Rank 0 reads the tables; the others get the entries of their tasks and
// of their window, and nothing that grows with the number of tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <limequat/multifile.hpp>

#include "checkpoint/found_set.hpp"
#include "checkpoint/set_fields.hpp"
#include "checkpoint/stream_reader.hpp"
#include "checkpoint/window.hpp"

namespace lq::checkpoint {

// What one rank gets of the tables.
struct Share {
  std::int64_t first = 0;        // of the tasks dealt to it
  std::vector<TaskEntry> dealt;  // these
  std::uint64_t window_begin = 0;
  std::uint64_t window_bytes = 0;
  std::uint64_t before_windowed = 0;  // bytes of all tasks before those with bytes of the window
  std::vector<TaskEntry> windowed;    // these
};

// Local. Of a set whose files have their tables.
TaskEntry entry_of(const FoundSet& found, std::int32_t task);
// Local. The share of rank `rank` of `ranks`. `unit`: windows are multiples of so many bytes.
Share share_of(const FoundSet& found, const std::vector<std::uint64_t>& ends, int rank, int ranks, std::uint64_t unit);
std::vector<std::byte> pack(const Share& share);
Share unpack_share(base::Bytes bytes);
std::vector<std::byte> pack(const std::vector<TaskEntry>& entries);
std::vector<TaskEntry> unpack_entries(base::Bytes bytes);

class OpenSet {
 public:
  // Collective.
  OpenSet(transport::Transport& transport, const std::string& path, const Communicator& communicator,
          const MultifileReadOptions& options);

  const MultifileInfo& info() const noexcept { return info_; }
  const Share& share() const noexcept { return share_; }
  // Local. Of a task dealt to this rank; invalid_argument.
  const TaskEntry& entry(std::int64_t task) const;
  std::unique_ptr<Window> task(std::int64_t task) const;
  std::unique_ptr<Window> window() const;
  const std::vector<MultifileField>& fields() const noexcept { return fields_; }
  // Collective over the grid. As MultifileReader::read_field().
  Report read_field(const std::string& name, const Grid& grid, const MutableField& field,
                    const ReadOptions& options) const;

 private:
  std::unique_ptr<StreamReader> reader(const TaskEntry& entry) const;
  void open_fields(const Communicator& communicator);
  const FieldEntry& entry_of_field(const std::string& name) const;

  transport::Transport& transport_;
  MultifileInfo info_;
  Catalog catalog_;                     // of the file with the fields
  SetFields found_fields_;              // in it
  std::vector<MultifileField> fields_;  // the intact ones
  std::optional<Error> problem_;        // why there may be fewer than the set had
  Share share_;
  ReadSettings settings_;
  std::shared_ptr<OpenFiles> files_;
};

}  // namespace lq::checkpoint
