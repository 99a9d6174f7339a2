// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of records and fields repaired into new files.
#pragma once

#include <optional>
#include <string>

#include <limequat/repack.hpp>

#include "transport/transport.hpp"

namespace lq::repack {

// As lq::repair() for a file of a format that holds no streams.
RepackReport repair_file(transport::Transport& transport, const std::string& from, const std::string& to,
                         const RepackOptions& options);

// What an append in place left beside a file (io/journal.hpp) is put into it, or removed. Nothing: there was none.
std::optional<RepackReport> recover_file(transport::Transport& transport, const std::string& path,
                                         const RepackOptions& options);

}  // namespace lq::repack
