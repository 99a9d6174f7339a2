// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set that is appended to in place. The tables of each file are kept by the first rank with tasks of it, or by
// another rank if there is none; rank 0 keeps those of a set that is read in one part, and of new files. Before
// the first new byte, all its files are marked as not closed, because chunks overwrite the table of chunks;
// the records contain the same information.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/sion/tail.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/new_set.hpp"
#include "sets/checkpoint/set_tables.hpp"

namespace lq::sets {

class AppendedSet final : public NewSet {
 public:
  AppendedSet(storage::Transport& transport, const std::string& path, const Communicator& communicator,
              const MultifileOptions& options)
      : NewSet(transport, path, communicator, options) {}
  void begin() override;

 private:
  // Facts about the set that all ranks need.
  struct Common {
    RecordBytes record{};
    std::int64_t tasks = 0;
    std::int64_t files = 0;
    std::int64_t block = 0;
    Epoch epoch;  // of this writer
    std::uint64_t fields = 0;
  };
  // What this rank keeps of one physical file.
  struct KeptFile {
    std::shared_ptr<const format::sion::PhysicalFile> physical;
    SetRecord record;
    std::vector<std::uint64_t> sizes;      // of its streams
    std::vector<format::sion::Place> map;  // of the previous set; in file 0 of several
  };
  // The final streams of a file: by local task, empty if unchanged.
  struct Grown {
    std::vector<std::uint64_t> sizes;
    std::vector<std::vector<std::int64_t>> used;
  };

  // An additional physical file with new tasks: [first, first + tasks).
  struct NewFile {
    std::int64_t first = 0;
    std::int64_t tasks = 0;
    TaskShape shape;  // of this rank's tasks in it
    std::uint64_t start = 0, before = 0, skip = 0;
    SetRecord record;
  };

  void number_tasks();
  void find();
  void keep(const SetTables& tables);
  void require_whole(const FoundSet& found) const;
  void remove_stale_files(const Generation& mine);
  std::vector<TaskEntry> distribute_tasks(const SetTables& tables);
  void plan_new_files();
  void lay_out(std::size_t index);
  void create_new_file(std::size_t index, std::vector<std::byte> head, std::uint64_t expected);
  void open_streams(const std::vector<TaskEntry>& mine);
  void resume(const TaskEntry& entry);
  [[noreturn]] void refuse(const storage::File& handle, const StreamPlace& place, std::uint64_t chunk,
                           bool was_lost) const;
  void mark_open();
  storage::File& file(std::size_t number);
  std::string file_path(std::size_t number) const;

  const SetRecord& claim(std::size_t number);
  void require_own() override;
  FieldsWriter::Start open_fields() override;
  std::uint64_t fields() const noexcept { return fields_ ? fields_->fields() : common_.fields; }
  void finish() override;
  void send_ends();
  void publish_fields();
  std::map<std::size_t, Grown> gather_grown();
  std::vector<Grown> gather_new();
  void close_new_file(std::size_t index, const Grown& streams);
  void close_old_file(std::size_t number, const Grown& streams);
  std::vector<format::sion::Place> map_of_all(const KeptFile& kept) const;
  void remove() override;
  std::string shown_path() const override { return path_; }

  std::int64_t new_tasks() const noexcept { return tasks_ - common_.tasks; }
  std::size_t old_files() const noexcept { return static_cast<std::size_t>(common_.files); }
  std::size_t all_files() const noexcept { return old_files() + new_files_.size(); }

  std::map<std::size_t, KeptFile> kept_;  // of the existing files
  Parts parts_;
  std::optional<Error> fields_problem_;
  std::string prefix_;  // of the headers
  Common common_;
  std::vector<TaskEntry> mine_;  // until the streams are open
  SetRecord record_;
  std::int64_t first_task_ = 0;                   // of this rank
  std::vector<std::optional<SetRecord>> claims_;  // of each file that this rank has used
  std::vector<NewFile> new_files_;
  std::vector<std::unique_ptr<storage::File>> files_;
};

}  // namespace lq::sets
