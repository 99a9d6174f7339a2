// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a physical file on the rank that writes them, gathered from the ranks that write its tasks: 16 bytes
// per task when it is created, 8 per task and 8 per chunk when it is closed, and nothing of it on any other rank.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "checkpoint/stream_writer.hpp"
#include "comm/comm.hpp"
#include "format/sion/head.hpp"
#include "format/sion/tail.hpp"

namespace lq::checkpoint {

// Consecutive tasks of one rank, which are alike.
struct TaskShape {
  std::int64_t first = 0;  // number in the set
  std::uint64_t count = 0;
  std::uint64_t width = 0;  // of the chunks of each
};
// Collective. By rank, on rank 0; those without tasks are left out.
std::vector<TaskShape> gather_shapes(comm::Comm& comm, const TaskShape& mine);
// Ranks and widths of the tasks, one by one.
void put_shapes(const std::vector<TaskShape>& shapes, format::sion::Head& head);
// CRC-32 of ranks and widths in an encoded header.
std::uint32_t tables_checksum(base::Bytes head, std::int32_t tasks);

struct GatheredTable {
  format::sion::ChunkTable table;
  std::vector<std::uint64_t> sizes;  // of the streams, if asked for
};
// Collective. On rank 0 the chunks of all streams, in the order of ranks; elsewhere nothing.
GatheredTable gather_table(comm::Comm& comm, const std::vector<std::unique_ptr<StreamWriter>>& streams, bool with_sizes,
                           std::uint64_t tasks);

// 64-bit numbers of this machine out of bytes, whole ones.
void append_numbers(base::Bytes bytes, std::vector<std::uint64_t>& numbers);

}  // namespace lq::checkpoint
