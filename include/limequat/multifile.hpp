// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles: thousands of logical files, one per task (a rank, or a thread of one), in a few physical files, in the
// format of SIONlib. For checkpoints and traces: streams without chunk sizes that any number of ranks can read, with
// checksums, optional compression and recovery after a crash; and named lattice fields next to them, in a file
// NAME.fields of the set (docs/guide/checkpoints.md).
#pragma once

#include <limequat/language.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/metadata.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

namespace lq {

enum class Compression { none, lz4, zstd };
LQ_API std::string_view name(Compression compression) noexcept;  // "none", "lz4", "zstd"
// Local. invalid_argument lists the known names.
LQ_API Compression parse_compression(std::string_view text);
// Local. Returns true if this library was built with it.
LQ_API bool is_available(Compression compression) noexcept;

// All members except the first two must be the same on all ranks.
struct MultifileOptions {
  std::int32_t streams = 1;          // of this rank: one task each, for example one per thread
  std::uint64_t expected_bytes = 0;  // of each of these streams, approximately; 0: not known. Any size is possible
  // Number of physical files, at most one per rank. 0: chosen by the type of file system: up to 8 if it allows one
  // writer at a time in a file, as local ones do, otherwise one per 4096 ranks; one if a rank has no stream.
  std::int32_t files = 0;
  Compression compression = Compression::none;
  int level = 0;                            // of the compression; 0: its default
  bool checksums = true;                    // of every chunk
  bool overwrite = false;                   // replace an existing set, which stays until the new one is complete
  Sync sync = Sync::full;                   // when it is closed
  std::uint64_t buffer_bytes = 256 * 1024;  // size of each stream's write buffer, which collects smaller writes
  // Stripes of new physical files, as in WriteOptions; the file size used for them is the expected one.
  std::uint64_t stripe_count = 0;
  std::uint64_t stripe_bytes = 0;
  bool stripes_by_size = true;
};

namespace sets {
class NewSet;
class OpenSet;
class StreamWriter;
class StreamReader;
class Window;
}  // namespace sets

// The stream of one task, being written. One thread at a time uses a stream; streams of a rank are independent.
class LQ_API OutStream {
 public:
  explicit OutStream(sets::StreamWriter& writer);
  ~OutStream();
  OutStream(OutStream&&) noexcept;
  OutStream& operator=(OutStream&&) = delete;

  // Local. Any number of bytes. A write larger than the buffer can be recovered once this returns, smaller ones once
  // flush() returns. no_space, io: size() returns how much is in the stream, which can be continued from there.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // A vector, array or span of numbers or plain structs.
  template <std::ranges::contiguous_range R>
  requires(std::is_trivially_copyable_v<std::ranges::range_value_t<R>> &&
           !std::is_array_v<R>) void write(const R& values) {
    write(std::span<const std::byte>(std::as_bytes(std::span(values))));
  }
  template <class T>
  requires(std::is_trivially_copyable_v<T>) void write_value(const T& value) {
    write(std::as_bytes(std::span(&value, 1)));
  }
  // Local. For formatted text: out.text() << step << '\n'. It throws what write() throws.
  std::ostream& text();
  // Local. Writes everything so far to the file, so that it survives the end of this process.
  void flush();
  // Local. The same, and waits for the disk, so that it survives a crash of the machine.
  void sync();

  std::uint64_t size() const noexcept;  // bytes of the stream
  std::int64_t task() const noexcept;   // its number in the set

 private:
  struct Text;
  sets::StreamWriter* writer_;
  std::unique_ptr<Text> text_;
};

// A set being written. It appears under its name, with all of its files or none, when it is closed. Until then its
// files are called .NAME.xxxxxxxx; repair() makes a set of them, discard() removes them.
class LQ_API MultifileWriter {
 public:
  // Collective. Tasks are numbered by rank, and by stream within a rank.
  // exists: a set of that name exists and overwrite is off; unsupported: built without that compression;
  // invalid_argument: fewer tasks than files, no tasks; ranks_disagree: path or options differ between ranks.
  explicit MultifileWriter(const std::string& path, const Communicator& communicator = {},
                           const MultifileOptions& options = {});
  // Collective. Opens a set for appending: rank r continues task r; ranks beyond the existing tasks get new tasks in
  // one or two additional physical files. Only `streams`, `expected_bytes` (for new tasks), `level`, `sync` and
  // `buffer_bytes` are used.
  // While open, the set is marked as not closed; repair() recovers both the old data and the data appended so far.
  // unsupported: the set was not written by this interface, or its data could not be recovered after an interruption;
  // the message names the command that converts it. wrong_state: the set was not closed; call repair() first.
  static MultifileWriter append(const std::string& path, const Communicator& communicator = {},
                                const MultifileOptions& options = {});
  ~MultifileWriter();
  MultifileWriter(MultifileWriter&&) noexcept;
  MultifileWriter& operator=(MultifileWriter&&) noexcept;

  std::int64_t tasks() const noexcept;  // of the set
  std::size_t streams() const noexcept;
  OutStream& stream(std::size_t index = 0);
  void write(std::span<const std::byte> bytes) { stream().write(bytes); }

  // Collective over the ranks of the set, which are the ranks of the grid. Writes a field next to the streams; it can
  // be recovered once this returns, and be read on any process grid. The options used are precision, metadata, verify,
  // measure, slice_checksums, block_bytes and route. exists: the set has a field of that name; invalid_argument: an
  // invalid name, a grid of another number of ranks, verify off; also throws what lq::write() throws. After an error
  // the set can be continued without that field.
  Report write_field(const std::string& name, const Grid& grid, const Field& field, const WriteOptions& options = {});

  // Collective. Completes, syncs and publishes the set. After an error either no file of the set is published, or all
  // files exist in a state that repair() can complete; the message names them.
  void close();
  // Collective. Removes a new set completely. wrong_state for a set that is appended to.
  void discard();

 private:
  explicit MultifileWriter(std::unique_ptr<sets::NewSet> set);
  std::unique_ptr<sets::NewSet> set_;
  std::vector<OutStream> streams_;
};

// A stream being read: the stream of a task, or a window of the concatenated streams of all tasks. If the set has
// checksums, bytes are compared before they are returned. One thread at a time.
class LQ_API InStream {
 public:
  explicit InStream(std::unique_ptr<sets::Window> window);
  ~InStream();
  InStream(InStream&&) noexcept;
  InStream& operator=(InStream&&) noexcept;

  // Local. Reads up to buffer.size() bytes, fewer only at the end; returns their number. checksum_mismatch names file,
  // task, chunk and bytes; truncated, also if the stream lost its end in a repair: lost bytes count in size(), as far
  // as known, but none of them is returned.
  std::size_t read(std::span<std::byte> buffer);
  // Reads one number or plain struct; false at the end. truncated: fewer bytes remain than it needs.
  template <class T>
  requires(std::is_trivially_copyable_v<T>) bool read_value(T& value) {
    return read_whole(std::as_writable_bytes(std::span(&value, 1)));
  }
  bool read_whole(std::span<std::byte> buffer);
  // Local. Reads all remaining bytes.
  std::vector<std::byte> read_all();
  // Local. Reads up to the next '\n', which is dropped; false at the end. too_large: a line of more than 2^30 bytes.
  bool read_line(std::string& line);
  // Local. Sets where the next read begins, up to size().
  void seek(std::uint64_t position);
  std::uint64_t position() const noexcept;
  std::uint64_t size() const noexcept;

 private:
  std::unique_ptr<sets::Window> window_;
};

struct MultifileReadOptions {
  std::uint64_t record_bytes = 1;  // windows begin and end at multiples of it, so that no record is divided
  // Compare with the existing checksums. None: bytes are returned unchecked, and a stream that lost its end in a repair
  // has only the remaining bytes.
  Verify verify = Verify::checksum;
  // Open a set even if some of its physical files are permanently lost: no byte of the tasks in these can be read. Off:
  // such a set is not opened.
  bool accept_missing = false;
};

// The facts about a set.
struct MultifileInfo {
  std::string path;
  std::int64_t tasks = 0;
  std::uint64_t bytes = 0;         // of all streams
  std::uint64_t stored_bytes = 0;  // of all streams as stored in the files
  std::uint64_t chunks = 0;
  std::vector<std::string> files;  // their current names
  bool has_records = false;        // written by this interface: can be checked, recovered and appended to
  bool has_checksums = false;
  Compression compression = Compression::none;
  std::string generation;  // 32 hexadecimal digits, or empty
  std::uint64_t fields = 0;
  std::string fields_file;  // current name of the file that holds them; empty: none, or it is missing
  // Problems of a set that can nevertheless be read: a damaged record that was rebuilt from others, streams whose end a
  // repair did not find, or whose physical file is missing.
  std::vector<Finding> findings;
};

// A field next to the streams of a set.
struct MultifileField {
  std::string name;
  FieldSpec spec;     // as in the file
  Extents extents;    // of the lattice
  Extents processes;  // process grid of its writer
  std::uint64_t bytes = 0;
  std::optional<Checksum> checksum;
  Metadata metadata;
};

// A set that is open for reading, of any program and any number of tasks.
class LQ_API MultifileReader {
 public:
  // Collective. not_found, malformed: files of different generations, or one is missing; truncated: not closed.
  explicit MultifileReader(const std::string& path, const Communicator& communicator = {},
                           const MultifileReadOptions& options = {});
  ~MultifileReader();
  MultifileReader(MultifileReader&&) noexcept;
  MultifileReader& operator=(MultifileReader&&) noexcept;

  const MultifileInfo& info() const noexcept;
  std::int64_t tasks() const noexcept { return info().tasks; }
  // The tasks assigned to this rank, in blocks by rank: first and number. A single rank has all of them.
  std::int64_t first_task() const noexcept;
  std::int64_t local_tasks() const noexcept;
  // Local. The stream of one of these tasks, from its beginning. invalid_argument: it belongs to another rank.
  InStream task(std::int64_t number) const;
  std::uint64_t size(std::int64_t number) const;
  // Local. This rank's share of all bytes, in task order.
  InStream window() const;
  std::uint64_t window_begin() const noexcept;  // in the concatenated streams of all tasks

  // Local. The readable fields, in the order of writing. not_found, no_permission, malformed, io: the set has fields,
  // but the file that holds them cannot be read, or belongs to another set.
  const std::vector<MultifileField>& fields() const;
  // Collective over the ranks of the grid, on any process grid. All options except field and index are used.
  // no_such_record lists the existing fields; malformed, not_found: the file with the fields is missing, damaged or of
  // another generation; also throws what lq::read() throws.
  Report read_field(const std::string& name, const Grid& grid, const MutableField& field,
                    const ReadOptions& options = {}) const;

 private:
  std::unique_ptr<sets::OpenSet> set_;
};

// A chunk, a field or a record that is damaged, or that could not be recovered.
struct ChunkDamage {
  std::string path;
  std::int64_t task = 0;  // -1: a field, or the set
  std::uint64_t chunk = 0;
  std::uint64_t offset = 0;  // in the file
  std::uint64_t bytes = 0;
  std::string what;
  std::string field = {};  // its name, as far as known
};

struct MultifileCheck {
  MultifileInfo info;
  std::uint64_t chunks_checked = 0;  // 0 for sets without records
  std::uint64_t fields_checked = 0;
  std::vector<ChunkDamage> damage;
  bool is_sound() const noexcept { return damage.empty(); }
};
// Local. Reads everything with the given number of threads; 0: one for each core that the process has to itself. Damage
// is an answer, not an error.
LQ_API MultifileCheck verify_multifile(const std::string& path, int threads = 0);

struct RepairOptions {
  std::string output = {};  // name of the repaired set; another name makes a copy; empty: the intended name
  bool overwrite = false;   // replace an existing set of that name
  bool dry_run = false;     // find what can be recovered, write nothing
};

struct RepairReport {
  enum class Outcome {
    nothing_to_do,  // closed, with all its records and names
    mended,         // closed; damaged records were rebuilt from others
    published,      // closed already; missing names were given
    recovered,      // closed with the data that could be recovered
  };
  Outcome outcome = Outcome::nothing_to_do;
  std::string path;  // of the set
  std::int64_t tasks = 0;
  std::uint64_t chunks = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t fields = 0;
  std::vector<std::string> files;  // of the set, by their new names, the file with the fields last
  // Recorded chunks whose bytes differ from the record, and the chunks after them: left out. In a closed file only such
  // chunks, which are kept, but refused by readers. Incomplete fields: left out; earlier fields with damaged data:
  // kept, but refused by readers. Also losses of earlier repairs.
  // The set stores this list: verify reports it, and reading lost data is an error.
  std::vector<ChunkDamage> lost;
  // Bytes that were written before the writer died, but not recorded as finished: left out.
  std::vector<ChunkDamage> unfinished;
  std::vector<std::string> mended;  // one sentence for each record that was damaged
};
// Local. `path`: a set, or one of its files .NAME.xxxxxxxx. Recovers every chunk whose write had finished, each
// verified, up to the first gap of its stream. The set is repaired in place or, if options.output is another name, as a
// copy, with the original unchanged. Nothing is removed; an interrupted repair can be repeated. A damaged table of
// chunks is rebuilt. Closed files are verified, too, and keep all chunks. exists: a set of that name exists;
// unsupported: the files have no records; truncated: they hold nothing.
LQ_API RepairReport repair_multifile(const std::string& path, const RepairOptions& options = {});

// Local. One JSON object on one line (docs/reference/json.md).
LQ_API std::string to_json(const MultifileInfo& info);
LQ_API std::string to_json(const std::vector<MultifileField>& fields);  // an array
LQ_API std::string to_json(const MultifileCheck& check);
LQ_API std::string to_json(const RepairReport& report);

}  // namespace lq
