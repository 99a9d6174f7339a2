// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a physical file on the rank that writes them, gathered from the ranks that write its tasks: 16 bytes
// per task when it is created, 8 per task and 8 per chunk when it is closed, and nothing of it on any other rank.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/comm.hpp"
#include "format/sion/head.hpp"
#include "format/sion/tail.hpp"
#include "sets/checkpoint/stream_writer.hpp"

namespace lq::sets {

// Consecutive tasks of one rank, which are alike.
struct TaskShape {
  std::int64_t first = 0;  // number in the set
  std::uint64_t count = 0;
  std::uint64_t width = 0;  // of the chunks of each
};
// Collective. On rank 0 the bytes of a header for `tasks` tasks, of which the tables of ranks and widths are filled,
// with room for a record after it; elsewhere nothing. Like gather_table() it throws on rank 0 when all bytes have
// arrived.
std::vector<std::byte> gather_head(comm::Comm& comm, const TaskShape& mine, std::uint64_t tasks);
// Writes the header of a new file: what stands before the tables, these in `bytes` as gather_head() or encode() leave
// them, and the record behind, which gets the CRC-32 of its ranks and widths.
void write_head(storage::File& file, const format::sion::FixedHead& head, std::vector<std::byte> bytes,
                SetRecord& record);

struct GatheredTable {
  format::sion::ChunkTable table;
  std::vector<std::uint64_t> sizes;  // of the streams, if asked for
};
// Collective. On rank 0 the chunks of all streams, in the order of ranks; elsewhere nothing.
GatheredTable gather_table(comm::Comm& comm, const std::vector<std::unique_ptr<StreamWriter>>& streams, bool with_sizes,
                           std::uint64_t tasks);

}  // namespace lq::sets
