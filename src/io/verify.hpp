// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Verification of what a format itself defines; deeper contents, the chunks of checkpoints, are checked by module
// checkpoint, which contains lq::verify().
#pragma once

#include <memory>

#include <limequat/inspect.hpp>

#include "base/inner.hpp"
#include "storage/transport.hpp"

namespace lq::io {

class ScannedFile;

// Collective, as lq::verify().
Verification verify(const std::string& path, const Communicator& communicator = {}, const VerifyOptions& options = {});
// The same for a file of `transport`.
Verification verify(storage::Transport& transport, const std::string& path, const Communicator& communicator,
                    const VerifyOptions& options);

// Collective. The same, of a file that was scanned before.
Verification verify(const std::shared_ptr<ScannedFile>& file, const Communicator& communicator,
                    const VerifyOptions& options);

// Collective. Findings other than the data of fields, for callers that compare the data in transit. For
// a file that is open on all ranks, or for a path.
Verification verify_structure(std::shared_ptr<ScannedFile> file, const Communicator& communicator,
                              const Limits& limits);
Verification verify_structure(storage::Transport& transport, const std::string& path, const Communicator& communicator,
                              const Limits& limits);

// Local. Rules of the specification that the file breaks, as far as headers show.
LQ_INNER std::vector<Finding> broken_rules(const std::string& path, const Limits& limits);

}  // namespace lq::io
