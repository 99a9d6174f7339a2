// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that runs out on one of the ranks of a run over MPI, at one allocation after the other. For programs that link
// held_memory.cpp.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>

#include "mpi/harness.hpp"
#include "support/held_memory.hpp"

namespace lq::testing {

// Collective. How many allocations of the bad rank made `work` fail; 0 where it fails without one. work(owner) says
// whether it went well, and runs what is tried as OwnedBy(owner). Whoever waits for ever is ended by a signal.
template <class Work>
int memory_faults_in(int bad_rank, bool for_good, const Work& work) {
  constexpr unsigned deadline_seconds = 120;
  const bool is_bad = world_rank() == bad_rank;
  int failures = 0;
  for (std::int64_t k = 0;; ++k) {
    static HeldMemory memory;  // outlives what is kept for later: the last error, a communicator
    memory.fail_at = k;
    memory.for_good = for_good;
    memory.asked = 0;
    ::alarm(deadline_seconds);
    const bool is_well = work(is_bad ? &memory : nullptr);
    ::alarm(0);
    if (!is_well) ++failures;
    if (anywhere(::testing::Test::HasFailure())) {
      ADD_FAILURE() << "allocation " << k << " of rank " << bad_rank;
      return failures;
    }
    if (!anywhere(is_bad && memory.has_failed())) return is_well ? failures : 0;
  }
}

}  // namespace lq::testing
