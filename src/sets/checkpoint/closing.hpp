// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What makes a physical file a closed one: metadata block 2 with the tail record after it, and then, by one small
// write that is never torn, the number of blocks and the place of the table in metadata block 1.
#pragma once

#include <cstdint>
#include <vector>

#include "format/sion/set.hpp"
#include "sets/checkpoint/record.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

inline constexpr std::uint64_t version_offset = 16;  // of the version of the format in a header
inline constexpr std::uint64_t files_offset = 28;    // of the number of physical files

struct Closing {
  SetRecord record;
  format::sion::Tail tail;
  std::vector<std::uint64_t> sizes;  // of each stream; of compressed ones only
  std::vector<StreamLoss> losses;    // what a repair did not find
  std::uint64_t start = 0;           // of the first chunk
  std::uint64_t skip = 0;            // from a block to the next
  ByteOrder order = format::sion::host_order;
  std::uint32_t fields = 0;  // of the set; of file 0 only
  bool was_repaired = false;
  bool was_published = false;  // the file has its name already: its parts reach the disk in order
};

// Of a file that is there.
Closing closing_of(const format::sion::PhysicalFile& file, const SetRecord& record);
void close_file(storage::File& file, const Closing& closing);
// Marks a closed file as not closed.
void open_again(storage::File& file, std::int32_t tasks, ByteOrder order);
// Rewrites the record after the header.
void write_set_record(storage::File& file, const SetRecord& record);
// wrong_state: another program has repaired the set or gone on with it since `mine` was read or written.
void require_epoch(base::ByteSource& file, const SetRecord& mine);

}  // namespace lq::sets
