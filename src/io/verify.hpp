// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Verification of what a format knows of itself; what lies beneath, the chunks of checkpoints, is checked by room
// checkpoint, which lq::verify() is in.
#pragma once

#include <memory>

#include <limequat/inspect.hpp>

#include "base/inner.hpp"
#include "storage/transport.hpp"

namespace lq::io {

class ScannedFile;

// Collective, as lq::verify().
Verification verify(const std::string& path, const Communicator& communicator = {}, const VerifyOptions& options = {});
// The same, of a file of `transport`.
Verification verify(storage::Transport& transport, const std::string& path, const Communicator& communicator,
                    const VerifyOptions& options);

// Collective. The same, of a file that was scanned before.
Verification verify(const std::shared_ptr<ScannedFile>& file, const Communicator& communicator,
                    const VerifyOptions& options);

// Collective. What it finds besides the data of fields, for those who hold these against their sums while they pass. Of
// a file that is open on all ranks, or of one by its name.
Verification verify_structure(std::shared_ptr<ScannedFile> file, const Communicator& communicator,
                              const Limits& limits);
Verification verify_structure(storage::Transport& transport, const std::string& path, const Communicator& communicator,
                              const Limits& limits);

// Local. Rules of the specification that the file breaks, as far as headers tell.
LQ_INNER std::vector<Finding> broken_rules(const std::string& path, const Limits& limits);

}  // namespace lq::io
