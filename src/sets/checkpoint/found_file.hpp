// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One physical file of a set: whether it belongs to a set of ours, its tables, and what its records say of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "format/sion/set.hpp"
#include "sets/checkpoint/record.hpp"
#include "sets/checkpoint/stream.hpp"

namespace lq::sets {

// Whether a physical file belongs to a set of ours. Any of several marks says so: the record after the header, that
// after metadata block 2, records at the end of chunks. So one that is damaged does not turn a set into a plain
// multifile whose bytes nobody compares, and is made again out of the others. Local.
struct FoundRecord {
  SetRecord record;
  std::string problem;  // why it was made again; empty: it is as it was written
};
// Nothing: another program wrote the file. malformed: a mark is there, but too little to go by; or the tables of the
// header are not what was written.
std::optional<FoundRecord> find_set_record(base::ByteSource& file, const format::sion::PhysicalFile& physical);

// Where the record after metadata block 2 is, by what the file says of its map; the file has its table.
std::uint64_t tail_record_offset(base::ByteSource& file, const format::sion::PhysicalFile& physical);

// One physical file of a set: its tables, and what its records say of them. Local; holds no file open.

// malformed: restore the file.
[[noreturn]] void throw_damaged(const std::string& path, std::uint64_t offset, const std::string& what);
// As many as there are.
std::vector<std::byte> read_bytes(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes);
// CRC-32; nothing where the file ends before. Reads so much at a time.
inline constexpr std::uint64_t checksum_piece_bytes = 1 << 20;
std::optional<std::uint32_t> checksum_of(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes);

struct TailFacts {
  std::vector<std::uint64_t> sizes;  // of the streams, where they are compressed
  std::uint64_t fields = 0;          // as file 0 states
  std::vector<StreamLoss> losses;    // that a repair found, by task
};
// The record after metadata block 2, the table it vouches for, and the sizes of streams. malformed.
TailFacts read_tail_record(base::ByteSource& file, const format::sion::PhysicalFile& physical, const SetRecord& set,
                           std::size_t set_tasks);

// A file that was closed.
struct FoundFile {
  format::sion::PhysicalFile physical;
  std::optional<SetRecord> record;  // nothing: written by another program
  std::string problem;              // with this record
  TailFacts facts;

  std::uint64_t stream_bytes(std::int32_t task) const {  // a local one
    return facts.sizes.empty() ? physical.table.bytes(task) : facts.sizes[static_cast<std::size_t>(task)];
  }
};
// Throws what the functions above throw.
FoundFile read_file(base::ByteSource& file, format::sion::PhysicalFile physical, std::size_t set_tasks);

// Where the chunks of a task lie. `number`: in the set.
StreamPlace place_of(const format::sion::PhysicalFile& file, format::sion::Place place, std::int64_t number);
// The same, and what is in them. `bytes`: of its stream. The file has its table.
TaskEntry entry_of(const format::sion::PhysicalFile& file, format::sion::Place place, std::int64_t number,
                   std::uint64_t bytes);

}  // namespace lq::sets
