// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All tasks writing, or reading: what took how long.
#pragma once

#include <string>
#include <vector>

#include "programs/partest/target.hpp"

namespace lq::partest {

// Seconds, of a task or of the slowest of several.
struct Times {
  double total = 0;
  double open = 0, io = 0, close = 0;
  double file_open = 0, file_io = 0, file_close = 0;  // waiting for the tasks of the file
  double all_open = 0, all_io = 0, all_close = 0;     // ... for all others
  double bytes = 0;                                   // summed
  double calls = 0;
};

struct Outcome {
  std::string failure;  // empty, or what went wrong anywhere; the same on all tasks
  Times times;
};

// Collective over tasks.all.
Outcome run_phase(const Settings& settings, const Tasks& tasks, Target& target, bool writes);

// Collective. Lines of tasks with -v, of files where there are several, and of all, on rank 0.
void report(const Settings& settings, const Tasks& tasks, const Times& times, bool writes);

}  // namespace lq::partest
