// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq::defragment() and lq::rewrite() on any transport.
#pragma once

#include <optional>
#include <string>

#include <limequat/repack.hpp>

#include "storage/transport.hpp"

namespace lq::sets {

// Local.
RepackReport defragment(storage::Transport& transport, const std::string& from, const std::string& to,
                        const RepackOptions& options);
RepackReport rewrite(storage::Transport& transport, const std::string& from, const std::string& to,
                     const RepackOptions& options);
// A set of which physical files are missing: the streams of the others in a new set that says what is missing. Nothing
// where no file is missing, or it cannot be told which tasks were in those that are. invalid_argument: no `to`.
std::optional<RepackReport> rescue(storage::Transport& transport, const std::string& from, const std::string& to,
                                   const RepackOptions& options);

}  // namespace lq::sets
