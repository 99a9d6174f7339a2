// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a benchmark can do over MPI only. Nothing here is part of the room's objects: programs over MPI link it beside
// them.
#pragma once

#include <memory>

#include "bench/rounds.hpp"
#include "bench/tasks.hpp"

namespace lq::bench {

// Collective. One rank does it all, as many codes do: rank 0 collects time slice by time slice and writes alone, and
// deals out what it alone has read. Plain doubles without checksum. What parallel writing is measured against since the
// Lemon paper (arXiv:1106.4177, section 4). The ranks of the grid are those of MPI_COMM_WORLD.
std::unique_ptr<Mover> make_gather(const Grid& grid);

// Collective over MPI_COMM_WORLD. Some of its ranks as tasks; see WithTasks.
void with_tasks(int tasks, int shift, const std::function<void(const TaskGroup& group)>& work);

// Local. Multifiles as programs for SIONlib write them, through our sion.h; there where that was built. Pointers to the
// MPI_Comm of those who write and those who read, which outlive it.
std::unique_ptr<TaskSide> make_multifile_side(const void* writers, const void* readers);

}  // namespace lq::bench
