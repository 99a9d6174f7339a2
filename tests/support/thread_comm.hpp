// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks as threads of one process, so that collective code is tested without MPI, faults included. A group in
// which not all ranks can meet any more (one has left, they call different operations, or all wait for each
// other) does not hang: its operations throw Error(communication).
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "comm/comm.hpp"

namespace lq::testing {

using RankBody = std::function<void(std::shared_ptr<comm::Comm> comm)>;

// Runs `body` on n ranks and waits for all; rethrows the exception that left a body first.
void run_ranks(int n, const RankBody& body);

// The same, but returns what left each body, nullptr for those that returned.
std::vector<std::exception_ptr> outcomes_of_ranks(int n, const RankBody& body);

}  // namespace lq::testing
