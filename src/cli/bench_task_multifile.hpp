// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles as programs for SIONlib write them, through our sion.h. Linked into programs over MPI only, where that was
// built.
#pragma once

#include <memory>

#include "cli/bench_tasks.hpp"

namespace lq::cli {

// Local. Pointers to the MPI_Comm of those who write and those who read, which outlive it.
std::unique_ptr<TaskSide> make_multifile_side(const void* writers, const void* readers);

}  // namespace lq::cli
