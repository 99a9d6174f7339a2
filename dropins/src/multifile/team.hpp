// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tasks that open a multifile together, and how those of one physical file communicate and move each other's data.
// There is one over any comm::Comm (MPI, threads, this process alone); interfaces with their own communication provide
// theirs.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"
#include "comm/comm.hpp"

namespace lq::multifile {

// The location of a task in a set: physical file and number in it, and the totals of each.
struct TaskLocation {
  std::int32_t file = 0;
  std::int32_t files = 1;
  std::int32_t task = 0;
  std::int32_t tasks = 1;  // of this physical file
  bool is_rank = false;    // one physical file whose tasks are numbered like the ranks, on every rank
};

// Data of a task at its offset in the physical file.
struct FileExtent {
  static constexpr std::int64_t nowhere = -1;     // the task has nothing to move
  static constexpr std::int64_t collectors = -2;  // the data belong to the collector's own stream
  static constexpr std::int64_t failed = -3;      // the data are the message of a failure (comm/wire) for all

  std::int64_t offset = nowhere;
  std::int64_t bytes = 0;
};

// A range of tasks of a physical file, the first of which reads and writes for all.
struct CollectorGroup {
  std::int32_t collector = 0;
  std::int32_t tasks = 1;
  std::int64_t piece_bytes = 1;  // the most that the collector holds of another task at a time
};

// The group of a task, from groups given by their first tasks; if there are none, each task is one. `merges`: pieces
// are blocks, because each is a separate write in the collector's stream.
CollectorGroup group_of(const std::vector<std::int32_t>& groups, std::int32_t task, std::int32_t tasks,
                        std::int32_t block_size, bool merges);

// Moves data within a group. Collective over the group; each task passes its own extent.
class CollectorExchange {
 public:
  using Write = base::FunctionRef<void(const FileExtent& piece, base::Bytes)>;
  using Read = base::FunctionRef<void(const FileExtent& piece, base::MutableBytes)>;

  virtual ~CollectorExchange() = default;
  // Local. Allocates the memory for the pieces of others in advance, so that none is needed while they wait.
  virtual void reserve(const CollectorGroup& /*group*/) {}
  // Calls `write` on the collector, task by task, piece by piece; its own data first. If `write` throws, or a task
  // has failed before, all of the group throw.
  virtual void collect(const CollectorGroup& group, const FileExtent& mine, base::Bytes data, const Write& write) = 0;
  // Calls `read` on the collector, which sends the data read to their owner. For a task that has failed before,
  // `data` are its error.
  virtual void scatter_data(const CollectorGroup& group, const FileExtent& mine, base::MutableBytes data,
                            const Read& read) = 0;
};

// The tasks of one physical file.
struct FileGroup {
  std::shared_ptr<comm::Comm> comm;             // rank: local task
  std::shared_ptr<CollectorExchange> exchange;  // nullptr: no task moves data of others
};

// Two neighbours of a task: the group whose first task keeps a copy of its data, and the group whose data the first
// task of its own group keeps.
struct BuddyNeighbours {
  TaskLocation location;          // of this task
  std::int32_t distance = 1;      // from its group to the one that keeps the copy, downwards and cyclically
  std::int32_t keeper = 0;        // rank in all() of the first task there
  std::int32_t keeper_tasks = 0;  // of that group
  std::int32_t client_tasks = 0;  // of the group whose data are kept here
  std::vector<int> clients = {};  // on the first task, their ranks in all()
};

// Moves data of all tasks to those that keep copies.
class BuddyExchange {
 public:
  virtual ~BuddyExchange() = default;
  // Collective over the team. Calls `write` where data are kept, task by task, piece by piece; after a failure there
  // it is not called any longer, but everything is received.
  virtual void pass(const FileExtent& mine, base::Bytes data, const CollectorExchange::Write& write,
                    std::exception_ptr& failure) = 0;
};

class Team {
 public:
  virtual ~Team() = default;
  virtual comm::Comm& all() = 0;
  // Collective over all(). The group of the tasks of a physical file, with an exchange if all request one
  // (`collects`); throws the same on all.
  virtual FileGroup form(const TaskLocation& location, bool collects) = 0;
  // True if this task may read and write for others.
  virtual bool may_collect() const { return true; }
  // True if tasks can keep copies for each other.
  virtual bool can_keep_copies() const { return true; }
  // Collective over all(). Throws the same on all.
  virtual std::unique_ptr<BuddyExchange> make_buddy_exchange(const BuddyNeighbours& neighbours) = 0;
};

std::shared_ptr<Team> make_team(std::shared_ptr<comm::Comm> all);

// Local. Locations of tasks that are distributed over `files` physical files. Throws Error(invalid_argument) unless
// 1 <= files <= tasks.
TaskLocation locate_evenly(std::int32_t task, std::int32_t tasks, std::int32_t files);
// Collective. Locations of tasks in groups, a physical file each: `leader` is the rank in `all` of the group's
// first task, and files are numbered in the order of their leaders.
TaskLocation locate_by_group(comm::Comm& all, std::int32_t leader, std::int32_t task, std::int32_t tasks);

}  // namespace lq::multifile
