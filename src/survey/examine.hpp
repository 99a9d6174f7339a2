// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All probes of a folder, over any transport.
#pragma once

#include <limequat/survey.hpp>

#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "transport/transport.hpp"

namespace lq::survey {

// Collective.
std::vector<Probe> examine(comm::Comm& comm, transport::Transport& transport, const std::string& folder);

}  // namespace lq::survey
