// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How many threads an operation gets.
#pragma once

#include <cstdint>

#include "comm/comm.hpp"

namespace lq::comm {

// Collective. `asked` of this rank, which may differ from that of others. 0: as many as the rank has cores to itself,
// but no more than are worth making for its part of `bytes`, which all ranks have to do together.
int thread_count(comm::Comm& comm, int asked, std::uint64_t bytes);
// Local. Of a process that works alone.
int thread_count(int asked, std::uint64_t bytes);
// Of these, as many as there is memory for when each takes `bytes_each`; 1 at least.
int within(int threads, std::uint64_t memory_bytes, std::uint64_t bytes_each) noexcept;

}  // namespace lq::comm
