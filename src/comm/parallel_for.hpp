// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces of work dealt out to the threads of a team: whoever is free takes the next one.
#pragma once

#include <cstdint>

#include "base/function_ref.hpp"
#include "comm/team.hpp"

namespace lq::comm {

// work(thread, item) for items 0 .. count - 1, which begin in this order. Where items fail, those after them do not
// begin any more; what the lowest of them threw is rethrown, which is what one thread alone would have met.
void parallel_for(Team& team, std::uint64_t count, base::FunctionRef<void(int thread, std::uint64_t item)> work);

}  // namespace lq::comm
