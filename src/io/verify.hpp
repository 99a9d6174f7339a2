// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Verification of what a format knows of itself; what lies beneath, the chunks of checkpoints, is checked by room
// checkpoint, which lq::verify() is in.
#pragma once

#include <limequat/inspect.hpp>

#include "base/inner.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// Collective, as lq::verify().
Verification verify(const std::string& path, const Communicator& communicator = {}, const VerifyOptions& options = {});
// The same, of a file of `transport`.
Verification verify(storage::Transport& transport, const std::string& path, const Communicator& communicator,
                    const VerifyOptions& options);

// Local. Rules of the specification that the file breaks, as far as headers tell.
LQ_INNER std::vector<Finding> broken_rules(const std::string& path, const Limits& limits);

}  // namespace lq::io
