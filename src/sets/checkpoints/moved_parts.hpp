// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of checkpoints on their way from the disk of one node to that of another, file by file.
#pragma once

#include <span>
#include <string>

#include "base/function_ref.hpp"
#include "comm/comm.hpp"
#include "sets/checkpoints/directory.hpp"

namespace lq::sets {

// One that this rank sends.
struct SentPart {
  int to = 0;
  const CheckpointDirectory* directory = nullptr;
  std::string name;  // in it
  std::uint64_t step = 0;
};

// Collective. Each rank sends any number of parts to others, and gets one at most, which is a checkpoint of `into` when
// this returns: complete, synced, with a name of its own, which is returned; empty: it got none. On an error nothing of
// them stays, on any rank. A rank holds a few MiB for each part that it sends.
std::string move_parts(comm::Comm& comm, std::span<const SentPart> sent,
                       base::FunctionRef<const CheckpointDirectory&()> into);

}  // namespace lq::sets
