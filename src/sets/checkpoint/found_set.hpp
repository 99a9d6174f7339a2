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

// One physical file of a set: whether this interface wrote it, its tables, and the contents of its records.

// Recognises physical files of this interface's sets by any of several marks: the record after the header, the one
// after metadata block 2, records at the end of chunks. A damaged mark therefore does not turn a set into a plain
// multifile without checksums; it is rebuilt from the others. Local.
struct FoundRecord {
  SetRecord record;
  std::string problem;  // why it was rebuilt; empty: it is intact
};
// Empty: another program wrote the file. malformed: there is a mark, but not enough to rebuild the rest; or the tables
// of the header were changed.
std::optional<FoundRecord> find_set_record(base::ByteSource& file, const format::sion::PhysicalFile& physical);

// The position of the record after metadata block 2, from the file's description of its map; the file has its table.
std::uint64_t tail_record_offset(base::ByteSource& file, const format::sion::PhysicalFile& physical);

// One physical file of a set: its tables, and the contents of its records. Local; keeps no file open.

// malformed: restore the file.
[[noreturn]] void throw_damaged(const std::string& path, std::uint64_t offset, const std::string& what);
// Shorter at the end of the file.
std::vector<std::byte> read_bytes(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes);
// CRC-32; empty if the file ends before. Reads this many bytes at a time.
inline constexpr std::uint64_t checksum_piece_bytes = 1 << 20;
std::optional<std::uint32_t> checksum_of(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes);
// The length of a range of bytes without trailing zeros.
std::uint64_t filled_bytes(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes);

struct TailFacts {
  std::vector<std::uint64_t> sizes;  // of the streams, if they are compressed
  std::uint64_t fields = 0;          // as stated by file 0
  std::vector<StreamLoss> losses;    // found by a repair, by task
};
// The record after metadata block 2, the table it covers, and the sizes of streams. malformed.
TailFacts read_tail_record(base::ByteSource& file, const format::sion::PhysicalFile& physical, const SetRecord& set,
                           std::size_t set_tasks);

// A file that was closed.
struct FoundFile {
  format::sion::PhysicalFile physical;
  std::optional<SetRecord> record;  // empty: written by another program
  std::string problem;              // of this record
  TailFacts facts;

  std::uint64_t stream_bytes(std::int32_t task) const {  // of a local task
    return facts.sizes.empty() ? physical.table.bytes(task) : facts.sizes[static_cast<std::size_t>(task)];
  }
};
// Throws the errors of the functions above.
FoundFile read_file(base::ByteSource& file, format::sion::PhysicalFile physical, std::size_t set_tasks);

// The positions of a task's chunks. `number`: in the set.
StreamPlace place_of(const format::sion::PhysicalFile& file, format::sion::Place place, std::int64_t number);
// The same with the contents. `bytes`: of its stream. The file has its table.
TaskEntry entry_of(const format::sion::PhysicalFile& file, format::sion::Place place, std::int64_t number,
                   std::uint64_t bytes);

// A set on disk with its records: under its final names or, if a job died while renaming, partly under temporary
// ones. Local; keeps no file open.
struct FoundSet {
  std::string path;  // of the set: the name of file 0
  format::sion::Set set;
  std::vector<SetRecord> records;                  // of each file; empty: written by another program
  std::vector<std::vector<std::uint64_t>> sizes;   // of the streams of each file, if they are compressed
  std::vector<std::vector<StreamLoss>> losses;     // of each file, found by a repair
  std::vector<std::string> problems;               // of each file whose record was rebuilt; empty: intact
  std::vector<format::sion::ChunkTable> doubtful;  // of each file: its table if that was discarded
  std::uint64_t fields = 0;                        // as stated by file 0; unknown for files without a table
  std::string fields_path;                         // the file with these under its present name; empty: none
  std::optional<Error> fields_problem;             // why there are fewer

  bool has_records() const noexcept { return !records.empty(); }
  Compression compression() const noexcept { return has_records() ? records.front().compression : Compression::none; }
  bool has_checksums() const noexcept { return has_records() && records.front().checksums; }
  bool is_named() const;  // all files have their final names
  StreamPlace place(std::int32_t task) const;
  // For files with a table: existing bytes of a stream, bytes that a repair found missing, and both.
  std::uint64_t kept_bytes(std::int32_t task) const;
  const StreamLoss* loss_of(std::int32_t task) const;
  std::uint64_t stream_bytes(std::int32_t task) const;
  bool has_losses() const noexcept;
  bool has_problems() const noexcept;
  std::string describe(const StreamLoss& loss, std::int32_t file) const;
  MultifileInfo info() const;
};

// The location of the fields of a set. Streams can be read without them.
struct FoundFields {
  std::string path;              // empty: none
  std::optional<Error> problem;  // the reason, if there should be some
};
// `fields`: number of fields in the set; empty: it was not closed.
FoundFields find_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                        std::optional<std::uint64_t> fields);

// For a set whose files have their tables.
TaskEntry entry_of(const FoundSet& found, std::int32_t task);

enum class Unclosed { refused, accepted };
// What happens if physical files are missing; stood_in_for: placeholders replace them, whose streams are lost.
enum class MissingFiles { refused, stood_in_for };

// The name of the set that a file belongs to; for an additional file NAME.%06d it is NAME. Reads its header.
std::string name_of_set(storage::Transport& transport, const std::string& path, const std::string& name);
// `path`: any file of the set, or its name. Throws the errors of format::sion::Set::open(), and malformed: files of
// several generations of which none is complete, damaged records.
LQ_INNER FoundSet find_set(storage::Transport& transport, const std::string& path,
                           Unclosed unclosed = Unclosed::refused, MissingFiles missing = MissingFiles::refused);
// The set of this generation whose file 0 is or was to be at `path`: each file under its final or temporary name.
// `files`: how many there are, even if they state other numbers, because files may not know of later ones; 0: as
// stated.
FoundSet find_generation(storage::Transport& transport, const std::string& path, const Generation& generation,
                         Unclosed unclosed, std::int32_t files = 0);
// For the file at `path`; empty if there is no file, or none with a set record. io, no_permission: this is
// unknown, and a set must not be completed without a file that may belong to it.
std::optional<Generation> generation_at(storage::Transport& transport, const std::string& path);

// The intact records at the end of a chunk, the newest first, each with its place of the two.
struct RecordAt {
  ChunkRecord record;
  int place = 0;
};
std::vector<RecordAt> read_chunk_records(base::ByteSource& file, const SetRecord& set, const StreamPlace& place,
                                         std::uint64_t chunk);

}  // namespace lq::sets
