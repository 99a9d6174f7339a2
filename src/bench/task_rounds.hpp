// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams of tasks opened, written and read in several ways in turn; who goes first changes from round to round. The
// first way is one file per task, beside which all others stand.
#pragma once

#include <string>
#include <vector>

#include "bench/result.hpp"
#include "bench/rounds.hpp"
#include "bench/tasks.hpp"

namespace lq::bench {

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

// Of task `task`: bytes that differ from those of any other task. For tests, too.
void fill_stream(std::span<std::byte> bytes, int task);
bool is_stream_of(std::span<const std::byte> bytes, int task);

}  // namespace lq::bench
