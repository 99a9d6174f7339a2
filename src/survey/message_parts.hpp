// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What ranks do with each other: messages, shared memory, the neighbour's memory.
#pragma once

#include <vector>

#include "comm/comm.hpp"
#include "survey/rounds.hpp"

namespace lq::survey {

// Collective. None for one rank; those of shared memory and the neighbour's memory only where the system permits them.
// Messages of two ranks are between nodes where there are several.
std::vector<Measurement> message_parts(comm::Comm& comm);

}  // namespace lq::survey
