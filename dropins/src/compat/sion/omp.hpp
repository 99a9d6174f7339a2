// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The threads of an OpenMP team as a group of tasks. OpenMP is only queried for the threads; programs without it
// have one thread.
#pragma once

#include <functional>
#include <memory>

#include "multifile/threads.hpp"

namespace lq::compat::sion {

// Collective over the threads of the innermost team. `between` gives thread 0 the group of ranks; if it throws, all
// throw.
std::shared_ptr<multifile::ThreadsComm> omp_threads(const std::function<std::shared_ptr<comm::Comm>()>& between);

// Of the calling thread in its team, for messages.
int omp_thread() noexcept;

}  // namespace lq::compat::sion
