// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All measurements, over any transport.
#pragma once

#include <limequat/survey.hpp>

#include <string>

#include "comm/comm.hpp"
#include "transport/transport.hpp"

namespace lq::survey {

// Collective.
Parts measure_parts(comm::Comm& comm, transport::Transport& transport, const std::string& folder,
                    const PartsOptions& options);

}  // namespace lq::survey
