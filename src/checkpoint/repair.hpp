// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets that were interrupted made whole, and whole ones looked through. Local.
#pragma once

#include <string>

#include <limequat/multifile.hpp>

#include "checkpoint/found_set.hpp"
#include "checkpoint/open_set.hpp"
#include "checkpoint/set_fields.hpp"
#include "transport/transport.hpp"

namespace lq::checkpoint {

MultifileCheck verify(transport::Transport& transport, const std::string& path);
// The fields of a set, and what is missing of them.
CheckedFields check_fields(transport::Transport& transport, const FoundSet& found, FieldData data);
// Adds what is found out about its fields.
void verify_fields(transport::Transport& transport, const FoundSet& found, MultifileCheck& check);
RepairReport repair(transport::Transport& transport, const std::string& path, const RepairOptions& options);

// The chunks of a task as their records tell, each compared with its bytes.
struct RecoveredTask {
  std::vector<std::int64_t> used;  // at least one; behind a gap 0, up to the last chunk that has a record
  std::uint64_t bytes = 0;         // of the stream
  std::uint64_t chunks = 0;        // filled ones
  std::vector<ChunkDamage> lost;
};
RecoveredTask recover_task(base::ByteSource& file, const SetRecord& set, const StreamPlace& place);

}  // namespace lq::checkpoint
