// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set on disk with its records, and its physical files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "base/inner.hpp"
#include "format/sion/set.hpp"
#include "sets/checkpoint/record.hpp"
#include "sets/checkpoint/stream.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// One physical file of a set: whether it belongs to a set of ours, its tables, and what its records say of them.

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
// Of a range of bytes those up to the last that is not zero.
std::uint64_t filled_bytes(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes);

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

// A set on disk with its records: under its names, or, where a job died while it gave them, partly under temporary
// ones. Local; holds no file open.
struct FoundSet {
  std::string path;  // of the set: the name of file 0
  format::sion::Set set;
  std::vector<SetRecord> records;                  // of each file; empty: written by another program
  std::vector<std::vector<std::uint64_t>> sizes;   // of the streams of each file, where they are compressed
  std::vector<std::vector<StreamLoss>> losses;     // of each file, that a repair found
  std::vector<std::string> problems;               // of each file, whose record was made again; empty: it is sound
  std::vector<format::sion::ChunkTable> doubtful;  // of each file: its table where it was taken away from it
  std::uint64_t fields = 0;                        // as file 0 states; of files without a table not known
  std::string fields_path;                         // with these, as it is called now; empty: none
  std::optional<Error> fields_problem;             // why there are fewer

  bool has_records() const noexcept { return !records.empty(); }
  Compression compression() const noexcept { return has_records() ? records.front().compression : Compression::none; }
  bool has_checksums() const noexcept { return has_records() && records.front().checksums; }
  bool is_named() const;  // all files have their names
  StreamPlace place(std::int32_t task) const;
  // Of files with a table: what there is of a stream, what a repair found to be missing, and both.
  std::uint64_t kept_bytes(std::int32_t task) const;
  const StreamLoss* loss_of(std::int32_t task) const;
  std::uint64_t stream_bytes(std::int32_t task) const;
  bool has_losses() const noexcept;
  bool has_problems() const noexcept;
  std::string describe(const StreamLoss& loss, std::int32_t file) const;
  MultifileInfo info() const;
};

// Where the fields of a set are. Streams can be read without them.
struct FoundFields {
  std::string path;              // empty: nowhere
  std::optional<Error> problem;  // why, if there should be some
};
// `fields`: how many the set has; nothing: it was not closed.
FoundFields find_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                        std::optional<std::uint64_t> fields);

// Of a set whose files have their tables.
TaskEntry entry_of(const FoundSet& found, std::int32_t task);

enum class Unclosed { refused, accepted };
// Physical files that are not there; stood in for: by some whose streams are lost.
enum class MissingFiles { refused, stood_in_for };

// The name of the set that a file belongs to, which for a further file NAME.%06d is NAME. Reads its header.
std::string name_of_set(storage::Transport& transport, const std::string& path, const std::string& name);
// `path`: any file of the set, or its name. Throws what format::sion::Set::open() throws, and malformed: files of
// several generations of which none is complete, damaged records.
LQ_INNER FoundSet find_set(storage::Transport& transport, const std::string& path,
                           Unclosed unclosed = Unclosed::refused, MissingFiles missing = MissingFiles::refused);
// The set whose file 0 is at `path` or was to be, with this generation: each file under its name or its temporary one.
// `files`: how many there are, whatever they say, because they may not have been told of those that were added; 0: as
// they say.
FoundSet find_generation(storage::Transport& transport, const std::string& path, const Generation& generation,
                         Unclosed unclosed, std::int32_t files = 0);
// Of the file at `path`; nothing where there is no file, or none with a set record. io, no_permission: it cannot be
// told, and a set must not be made whole without a file that may be its own.
std::optional<Generation> generation_at(storage::Transport& transport, const std::string& path);

// The whole records at the end of a chunk, the newest first, and which of the two places each is in.
struct RecordAt {
  ChunkRecord record;
  int place = 0;
};
std::vector<RecordAt> read_chunk_records(base::ByteSource& file, const SetRecord& set, const StreamPlace& place,
                                         std::uint64_t chunk);

}  // namespace lq::sets
