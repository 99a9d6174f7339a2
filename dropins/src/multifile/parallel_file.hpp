// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A multifile in which each task has its own logical file open. Opening and closing gather the facts about the tasks
// of a physical file on one of them, once, and that one writes or reads the metadata; all others hold only their
// own.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "base/function_ref.hpp"
#include "format/sion/tail.hpp"
#include "multifile/metadata.hpp"
#include "multifile/multifile.hpp"
#include "multifile/request.hpp"
#include "multifile/team.hpp"

namespace lq::multifile {

class BuddyCopies;
class BuddyService;

class ParallelFile final : public Multifile {
 public:
  ~ParallelFile() override;

  // A caller's last step on an open file, on each task: if it fails on one, all throw.
  using Last = base::FunctionRef<void(ParallelFile&)>;
  static constexpr auto nothing_more = [](ParallelFile&) {};

  // Collective over team->all(). Files have their final names immediately; old ones are truncated. Paths, modes, block
  // sizes and numbers of files must be the same on all tasks (ranks_disagree).
  static std::unique_ptr<ParallelFile> create(std::shared_ptr<Team> team, const Creation& request,
                                              Last last = nothing_more);
  // Collective over team->all(), which must have as many tasks as the multifile has (invalid_argument); task t
  // gets the logical file of global rank t.
  static std::unique_ptr<ParallelFile> open(std::shared_ptr<Team> team, const Opening& request,
                                            Last last = nothing_more);

  // The same for a multifile with buddy copies: missing parts of the main set are read from copies, by tasks that see
  // them, for the tasks whose data they hold. `location`: of this task in its group, whose first task searches files.
  static std::unique_ptr<ParallelFile> open_with_buddies(std::shared_ptr<Team> team, const Opening& request,
                                                         const TaskLocation& location, Last last = nothing_more);

  const TaskLocation& location() const noexcept { return location_; }
  Team& team() noexcept { return *team_; }
  const FileGroup& group() const noexcept { return group_; }
  const std::string& physical_path() const noexcept { return physical_path_; }

  // Collective over the tasks of the physical file, directly after the creation: other sizes of chunks.
  void resize_chunks(std::int64_t chunk_bytes);

  const BuddyCopies* copies() const noexcept { return copies_.get(); }

  bool is_collective() const noexcept { return collects_; }
  bool merges() const noexcept { return merges_; }
  const CollectorGroup& collectors() const noexcept { return collectors_; }
  // Collective over the tasks of the physical file, or at least of the collector's group. false: data do not fit into
  // a chunk here; nothing of this task was written. An error of one task is thrown by its group, and by the whole call:
  // a task that cannot take part joins in with its error, because the others wait for it.
  bool write_together(base::Bytes bytes);
  // Up to the rest of the current chunk, or the next one. `failure`: an earlier error here.
  std::size_t read_together(base::MutableBytes buffer, std::exception_ptr failure = nullptr);

  // Collective over team->all(). Throws the same on all tasks; the file is closed nevertheless.
  void close() override;

 private:
  // The request of a task to the first task of its physical file.
  struct Request {
    std::int64_t chunk_bytes = 0;
    std::int64_t rank = 0;
    std::uint64_t only_sends = 0;
  };

  // The first task's information: requests, as they arrive,
  struct TaskRequests {
    std::vector<std::int64_t> chunks;
    std::vector<std::int64_t> ranks;
    std::vector<std::uint8_t> only_sends;
    void reserve(std::size_t tasks) {
      chunks.reserve(tasks);
      ranks.reserve(tasks);
      only_sends.reserve(tasks);
    }
  };

  // and its answer: the collectors, and the positions of the tasks.
  struct Layout {
    struct Collecting {
      std::int32_t is_on = 0;
      std::int32_t merges = 0;
      CollectorGroup group;
    };

    format::sion::FixedHead head;
    format::sion::Geometry geometry;
    std::vector<std::int64_t> ranks;
    Collecting collecting;
    std::vector<std::int32_t> groups;  // of collectors
    format::sion::ChunkTable used;     // when reading

    std::vector<std::byte> answer_to(std::int32_t file, std::int32_t task) const {
      Collecting mine = collecting;
      mine.group = group_of(groups, task, geometry.tasks(), head.block_size, mine.merges != 0);
      std::vector<std::byte> bytes = comm::to_bytes(mine);
      append_description(bytes, head, geometry, file, task, ranks[static_cast<std::size_t>(task)],
                         used.tasks() > 0 ? used.used(task) : std::span<const std::int64_t>());
      return bytes;
    }
  };

  ParallelFile(Facts facts, std::shared_ptr<Team> team, TaskLocation location);

  void put(const FileExtent& piece, base::Bytes data);
  void fetch(const FileExtent& piece, base::MutableBytes bytes);
  bool is_first() const noexcept { return location_.task == 0; }
  void create_physical(const Creation& request);
  std::exception_ptr settle(std::int64_t chunk_bytes, std::int64_t rank, base::FunctionRef<void()> prepare);
  void form_group(const Creation& request);
  Layout make_layout(TaskRequests all_asked_for);
  std::vector<std::byte> ask_where(const Opening& request);
  Layout read_physical(const Opening& request, const std::vector<std::uint8_t>& only_sends);
  void take_answer(base::Bytes bytes);
  void open_data(const Opener& opener);
  void close_written();
  void tell_end();
  std::optional<std::vector<format::sion::Place>> gather_map();

  std::shared_ptr<Team> team_;
  TaskLocation location_;
  FileGroup group_;
  std::string physical_path_;
  CollectorRequest asked_for_;
  storage::Transport* transport_ = nullptr;  // when writing
  storage::Owners owners_;                   // when writing
  bool collects_ = false;
  bool merges_ = false;
  CollectorGroup collectors_;
  std::exception_ptr collector_failure_;  // of a write for others, which may not know it

  std::unique_ptr<BuddyService> service_;  // when reading from copies
  std::unique_ptr<BuddyCopies> copies_;    // when writing

  std::unique_ptr<multifile::MetadataWriter> metadata_;  // on the first task of each physical file, when writing
  int map_root_ = 0;                                     // rank in all() of the first task of file 0; on all tasks
};

}  // namespace lq::multifile
