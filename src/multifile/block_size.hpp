// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The block of the file system under a file, and groups of collectors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "multifile/team.hpp"
#include "transport/transport.hpp"

namespace lq::multifile {

// Bytes; 2 MiB where the file system gives no sensible answer. `path` exists.
std::int32_t block_size_of(transport::Transport& transport, const std::string& path);

// The group of a task, of groups given by their first tasks; with none, each task is one. `merges`: pieces are blocks,
// for each is a write of its own in the collector's stream.
CollectorGroup group_of(const std::vector<std::int32_t>& groups, std::int32_t task, std::int32_t tasks,
                        std::int32_t block_size, bool merges);

}  // namespace lq::multifile
