// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set opened for reading by a group of ranks. One rank reads the tables of each physical file; the others receive the
// entries of their tasks and of their window, and nothing that grows with the number of tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <limequat/multifile.hpp>

#include "io/scan.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "sets/checkpoint/set_tables.hpp"
#include "sets/checkpoint/stream.hpp"

namespace lq::sets {

// A range of the concatenated streams of a set's tasks, in order; possibly a single task.
class Window {
 public:
  // Adds bytes of a task that belong to the window.
  void add(std::unique_ptr<StreamReader> reader, std::uint64_t from, std::uint64_t bytes);

  std::uint64_t size() const noexcept { return ends_.empty() ? 0 : ends_.back(); }
  std::size_t read_at(std::uint64_t position, base::MutableBytes buffer);

  std::uint64_t position = 0;  // of the next read

 private:
  struct Piece {
    std::unique_ptr<StreamReader> reader;
    std::uint64_t from = 0;
  };
  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> ends_;  // of the pieces in the window
};

class OpenSet {
 public:
  // Collective.
  static std::unique_ptr<OpenSet> open(storage::Transport& transport, const std::string& path,
                                       const Communicator& communicator, const MultifileReadOptions& options);
  // Local. Nothing is open yet.
  explicit OpenSet(storage::Transport& transport)
      : transport_(transport), files_(std::make_shared<OpenFiles>(transport)) {}

  const MultifileInfo& info() const noexcept { return info_; }
  const Share& share() const noexcept { return share_; }
  // Local. For a task assigned to this rank; invalid_argument.
  const TaskEntry& entry(std::int64_t task) const;
  std::unique_ptr<Window> task(std::int64_t task) const;
  std::unique_ptr<Window> window() const;
  // Throws the reason if the file with the fields is unavailable.
  const std::vector<MultifileField>& fields() const;
  // Collective over the grid. As MultifileReader::read_field().
  Report read_field(const std::string& name, const Grid& grid, const MutableField& field,
                    const ReadOptions& options) const;

 private:
  void find(const std::string& path, comm::Comm& comm, const MultifileReadOptions& options);
  void require_one_version(const std::string& path);
  void open_dealt(const std::vector<storage::Identity>& opened);
  void open_dealt();
  std::unique_ptr<StreamReader> reader(const TaskEntry& entry) const;
  void begin(const std::string& path, const Communicator& communicator, const MultifileReadOptions& options);
  void open_fields(const Communicator& communicator);
  void sort_out_fields();
  const FieldEntry& entry_of_field(const std::string& name) const;

  storage::Transport& transport_;
  std::shared_ptr<OpenFiles> files_;
  MultifileInfo info_;
  std::shared_ptr<io::ScannedFile> fields_file_;
  SetFields found_fields_;              // in it
  std::vector<MultifileField> fields_;  // the intact ones
  std::optional<Error> problem_;        // why there may be fewer than the set had
  Share share_;
  ReadSettings settings_;
};

}  // namespace lq::sets
