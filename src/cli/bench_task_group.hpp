// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Some of the ranks of MPI_COMM_WORLD as tasks. Linked into programs over MPI only.
#pragma once

#include "cli/bench_tasks.hpp"

namespace lq::cli {

// Collective over MPI_COMM_WORLD; see WithTasks.
void with_tasks(int tasks, int shift, const std::function<void(const TaskGroup& group)>& work);

}  // namespace lq::cli
