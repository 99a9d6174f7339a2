// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams of tasks, several ways to store them in files, and rounds that alternate between these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <limequat/grid.hpp>

#include "bench/result.hpp"
#include "bench/rounds.hpp"

namespace lq::bench {

// Where the streams go.
struct TaskFiles {
  std::string path;
  int files = 1;               // physical ones
  std::uint64_t block = 0;     // chunks begin at multiples of this number of bytes; 0: the file system's block
  std::uint64_t bytes = 4096;  // of each stream
  bool sync = false;           // wait for the disk
};

// All calls are collective over the writing or the reading tasks.
class TaskSide {
 public:
  virtual ~TaskSide() = default;
  virtual std::string name() const = 0;
  virtual bool has_checksums() const { return false; }
  // True if it supports several physical files.
  virtual bool has_files() const { return true; }
  // Opens new streams, writes this task's (empty if only opening is measured), closes them.
  virtual void write(const TaskFiles& to, std::span<const std::byte> bytes) = 0;
  // Reads the stream of the task whose number is this one's among the readers.
  virtual void read(const TaskFiles& from, std::span<std::byte> bytes) = 0;
};

// The first ranks of a communicator as tasks.
struct TaskGroup {
  Communicator writers;
  Communicator readers;                                            // the same ranks, numbered from another rank on
  std::function<std::unique_ptr<TaskSide>()> make_multifile = {};  // through sion.h; empty if that was not built
};

// Collective. Calls `work` on the first `tasks` ranks, the readers among them shifted by `shift`; the others sleep
// until it is done. An error of any rank is thrown on all.
using WithTasks = std::function<void(int tasks, int shift, const std::function<void(const TaskGroup& group)>& work)>;

std::unique_ptr<TaskSide> make_separate_files(const TaskGroup& group);
std::unique_ptr<TaskSide> make_checkpoint(const TaskGroup& group, bool checksums);

// Streams of tasks opened, written and read in several ways alternately; the order changes from round to round. The
// first way is one file per task, the reference for all others.
struct TaskRounds {
  Rounds rounds;
  std::string folder;            // recreated for each turn, and removed
  std::uint64_t bytes = 0;       // of each stream
  std::vector<int> files = {1};  // numbers of physical files
  int shift = 0;
};

// Collective over the group. Nothing is written.
std::vector<TaskResult> measure_create(const TaskGroup& group, const TaskRounds& what);
// Collective over the group. Every stream is compared with what was written.
std::vector<TaskResult> measure_transfer(const TaskGroup& group, const TaskRounds& what);

// Fills the stream of task `task` with bytes that differ from those of any other task. Also used by tests.
void fill_stream(std::span<std::byte> bytes, int task);
bool is_stream_of(std::span<const std::byte> bytes, int task);

}  // namespace lq::bench
