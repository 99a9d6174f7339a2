// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Moves parts of checkpoints from the disk of one node to that of another, file by file.
#pragma once

#include <span>
#include <string>

#include "base/function_ref.hpp"
#include "comm/comm.hpp"
#include "sets/checkpoints/directory.hpp"

namespace lq::sets {

// A part that this rank sends.
struct SentPart {
  int to = 0;
  const CheckpointDirectory* directory = nullptr;
  std::string name;  // within the folder
  std::uint64_t step = 0;
};

// Collective. Each rank sends any number of parts, and receives at most one, which is then a checkpoint in `into`:
// complete, synced, published under the returned name; empty: it received none. After an error none of
// them stays, on any rank. A rank needs a few MiB for each part that it sends.
std::string move_parts(comm::Comm& comm, std::span<const SentPart> sent,
                       base::FunctionRef<const CheckpointDirectory&()> into);

}  // namespace lq::sets
