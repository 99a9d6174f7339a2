// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The proof of a checkpoint: every byte of its files is read, by all ranks together, and compared with the sums of its
// manifest.
#pragma once

#include <string>

#include "comm/comm.hpp"
#include "sets/checkpoints/manifest.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// Collective. Sets the sums of the files, of which names and sizes are known on all ranks, from what is in `folder`.
void sum_files(comm::Comm& comm, storage::Transport& transport, const std::string& folder, Manifest& manifest);

// Collective. Throws unless they agree: truncated, checksum_mismatch, and what opening and reading throws. Ranks read
// what others wrote, where there are others.
void prove(comm::Comm& comm, storage::Transport& transport, const std::string& folder, const Manifest& manifest,
           int threads = 0);

}  // namespace lq::sets
