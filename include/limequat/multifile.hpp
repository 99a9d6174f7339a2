// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles: thousands of logical files, one per task (a rank, or a thread of one), in a few physical files, in the
// format of SIONlib. Here for checkpoints and traces: streams without chunk sizes, read by any number of ranks,
// checked, compressed if wanted, and recovered after a crash; and named fields on lattices beside them, in a file
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
// Local. invalid_argument lists the names there are.
LQ_API Compression parse_compression(std::string_view text);
// Local. Whether this library was built with it.
LQ_API bool is_available(Compression compression) noexcept;

// All but the first two are the same on all ranks.
struct MultifileOptions {
  std::int32_t streams = 1;  // of this rank: a task each, for example one per thread
  std::uint64_t expected_bytes =
      0;  // of each of these streams, roughly; 0: not known. Any size fits, whatever this says
  // Physical files, one per rank at most. 0: as many as the file system wants, which is up to 8 where it lets one
  // writer at a time into a file, as local ones do, and one per 4096 ranks elsewhere; one if a rank has no stream.
  std::int32_t files = 0;
  Compression compression = Compression::none;
  int level = 0;                            // of the compression; 0: its usual one
  bool checksums = true;                    // of every chunk
  bool overwrite = false;                   // replace a set, which stays until the new one is complete
  Sync sync = Sync::full;                   // when it is closed
  std::uint64_t buffer_bytes = 256 * 1024;  // smaller writes of a stream are collected in so much memory
  // Of new physical files, as in WriteOptions; the size that they go by is that which is expected.
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

  // Local. Any number of bytes. What is larger than the buffer can be recovered once this returns; the rest once
  // flush() does. no_space, io: size() tells how much of it is in the stream, which may go on from there.
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
  // Local. Everything written so far is in the file and survives the end of this process.
  void flush();
  // Local. ... and of the machine.
  void sync();

  std::uint64_t size() const noexcept;  // bytes of the stream
  std::int64_t task() const noexcept;   // its number in the set

 private:
  struct Text;
  sets::StreamWriter* writer_;
  std::unique_ptr<Text> text_;
};

// A set being written. It appears under its name, all of its files or none, when it is closed. Until then, and
// whatever happens, its files are .NAME.xxxxxxxx, of which repair() makes a set; discard() removes them.
class LQ_API MultifileWriter {
 public:
  // Collective. Tasks are numbered by rank, and by stream within a rank.
  // exists: there is a set of that name and overwrite is off; unsupported: built without that compression;
  // invalid_argument: fewer tasks than files, no tasks; ranks_disagree: path or options differ between ranks.
  explicit MultifileWriter(const std::string& path, const Communicator& communicator = {},
                           const MultifileOptions& options = {});
  // Collective. Goes on with a set: rank r with task r, ranks beyond the tasks there are with new tasks of their own,
  // in a further physical file or two. `streams`, `expected_bytes` (for new tasks), `level`, `sync` and `buffer_bytes`
  // count.
  // While it is open the set is marked as not closed; repair() recovers what there was and what was added since.
  // unsupported: the set was not written by this interface, or what there is of it could not be recovered meanwhile;
  // the sentence names the command that makes a set of it which can be gone on with. wrong_state: it was not closed, so
  // repair() it first.
  static MultifileWriter append(const std::string& path, const Communicator& communicator = {},
                                const MultifileOptions& options = {});
  ~MultifileWriter();
  MultifileWriter(MultifileWriter&&) noexcept;
  MultifileWriter& operator=(MultifileWriter&&) noexcept;

  std::int64_t tasks() const noexcept;  // of the set
  std::size_t streams() const noexcept;
  OutStream& stream(std::size_t index = 0);
  void write(std::span<const std::byte> bytes) { stream().write(bytes); }

  // Collective, over the ranks of the set, all of which make up the grid. A field beside the streams; it can be
  // recovered once this returns, and is read on any process grid. Of the options count precision, metadata, verify,
  // measure, slice_checksums, block_bytes and route. exists: the set has a field of that name; invalid_argument: no
  // name for a field, a grid of another number of ranks, verify off; what lq::write() throws. After an error the set
  // goes on without that field.
  Report write_field(const std::string& name, const Grid& grid, const Field& field, const WriteOptions& options = {});

  // Collective. Completes, syncs and publishes the set. On an error no file of the set is published, or all are there
  // in a state from which repair() goes on; the sentence says where.
  void close();
  // Collective. Leaves nothing of a new set. wrong_state for one that is appended to.
  void discard();

 private:
  explicit MultifileWriter(std::unique_ptr<sets::NewSet> set);
  std::unique_ptr<sets::NewSet> set_;
  std::vector<OutStream> streams_;
};

// A stream being read: that of a task, or a window of the one stream that all tasks in order make. Bytes are checked
// before they are handed out, where the set has checksums. One thread at a time.
class LQ_API InStream {
 public:
  explicit InStream(std::unique_ptr<sets::Window> window);
  ~InStream();
  InStream(InStream&&) noexcept;
  InStream& operator=(InStream&&) noexcept;

  // Local. As many bytes as there are up to the end; returns their number. checksum_mismatch names file, task, chunk
  // and bytes; truncated, also where the stream has lost its end in a repair: what is lost counts in size(), as far as
  // it is known, and no byte of it is read.
  std::size_t read(std::span<std::byte> buffer);
  // One number or plain struct; false at the end. truncated: there are fewer bytes than it takes.
  template <class T>
  requires(std::is_trivially_copyable_v<T>) bool read_value(T& value) {
    return read_whole(std::as_writable_bytes(std::span(&value, 1)));
  }
  bool read_whole(std::span<std::byte> buffer);
  // Local. All that is left.
  std::vector<std::byte> read_all();
  // Local. Up to the next '\n', which is dropped; false at the end. too_large: a line of more than 2^30 bytes.
  bool read_line(std::string& line);
  // Local. Where the next read begins, up to size().
  void seek(std::uint64_t position);
  std::uint64_t position() const noexcept;
  std::uint64_t size() const noexcept;

 private:
  std::unique_ptr<sets::Window> window_;
};

struct MultifileReadOptions {
  std::uint64_t record_bytes = 1;  // windows begin and end at multiples of it, so that no record is cut
  // Compare with the checksums there are. None: bytes as they are, and streams of which a repair lost the end have
  // just what is left.
  Verify verify = Verify::checksum;
  // Read a set of which physical files are lost for good: tasks that were in these have a stream of which no byte can
  // be read. Off: such a set is not opened.
  bool accept_missing = false;
};

// What is known of a set.
struct MultifileInfo {
  std::string path;
  std::int64_t tasks = 0;
  std::uint64_t bytes = 0;         // of all streams
  std::uint64_t stored_bytes = 0;  // that they take in the files
  std::uint64_t chunks = 0;
  std::vector<std::string> files;  // as they are called now
  bool has_records = false;        // written by this interface: checked, can be recovered and appended to
  bool has_checksums = false;
  Compression compression = Compression::none;
  std::string generation;  // 32 hexadecimal digits, or empty
  std::uint64_t fields = 0;
  std::string fields_file;  // with these, as it is called now; empty: none, or it is missing
  // What is wrong with a set that is read all the same: a record that was damaged and is made of others, streams of
  // which a repair did not find the end, or whose physical file is missing.
  std::vector<Finding> findings;
};

// A field beside the streams of a set.
struct MultifileField {
  std::string name;
  FieldSpec spec;     // as in the file
  Extents extents;    // of the lattice
  Extents processes;  // process grid of its writer
  std::uint64_t bytes = 0;
  std::optional<Checksum> checksum;
  Metadata metadata;
};

// A set, whoever wrote it and with however many tasks.
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
  // The tasks dealt to this rank, in blocks by rank: first and number. One rank has all of them.
  std::int64_t first_task() const noexcept;
  std::int64_t local_tasks() const noexcept;
  // Local. The stream of one of them, from its beginning. invalid_argument: it belongs to another rank.
  InStream task(std::int64_t number) const;
  std::uint64_t size(std::int64_t number) const;
  // Local. This rank's share of all bytes, in task order.
  InStream window() const;
  std::uint64_t window_begin() const noexcept;  // in the one stream of all tasks

  // Local. Those that can be read, in the order of writing. not_found, no_permission, malformed, io: the set has
  // fields, but the file that holds them cannot be had, or is of another set.
  const std::vector<MultifileField>& fields() const;
  // Collective, over the ranks of the grid: any process grid, whatever that of the writer was. Of the options all but
  // field and index count. no_such_record lists what there is; malformed, not_found: the file with the fields is
  // missing, damaged or of another generation; what lq::read() throws.
  Report read_field(const std::string& name, const Grid& grid, const MutableField& field,
                    const ReadOptions& options = {}) const;

 private:
  std::unique_ptr<sets::OpenSet> set_;
};

// A chunk, a field or a record that is not as it was written, or that could not be recovered.
struct ChunkDamage {
  std::string path;
  std::int64_t task = 0;  // -1: of a field, or of the set
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
// Local. Reads all of it, by so many threads of this process; 0: as many as it has cores to itself. Damage is an
// answer, no error.
LQ_API MultifileCheck verify_multifile(const std::string& path, int threads = 0);

struct RepairOptions {
  std::string output = {};  // name of the set; a copy where it is another one; empty: the one it was to have
  bool overwrite = false;   // replace a set of that name
  bool dry_run = false;     // find what can be recovered, write nothing
};

struct RepairReport {
  enum class Outcome {
    nothing_to_do,  // closed, with all its records and names
    mended,         // closed but for records, which were made again out of others
    published,      // closed already: the names that were missing were given
    recovered,      // closed with what could be recovered
  };
  Outcome outcome = Outcome::nothing_to_do;
  std::string path;  // of the set
  std::int64_t tasks = 0;
  std::uint64_t chunks = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t fields = 0;
  std::vector<std::string> files;  // of the set, as they are called then, that with the fields last
  // Recorded chunks whose bytes are not what was recorded, and those behind them: left out. In a file that was closed
  // such chunks alone: kept, and refused by readers. Fields that were not written to their end: left out; those before
  // them whose data are damaged: kept, and refused by readers. Also what earlier repairs lost.
  // All of this is kept in the set: verify tells it, and reading what is lost is an error.
  std::vector<ChunkDamage> lost;
  // Bytes that were written before the writer died, but not recorded as finished: left out.
  std::vector<ChunkDamage> unfinished;
  std::vector<std::string> mended;  // records that were damaged, in a sentence each
};
// Local. `path`: a set, or one of its .NAME.xxxxxxxx. Makes a set of what is there: every chunk whose write had
// finished, each verified, up to the first gap of its stream: in place, or, with another name for it, of a copy, so
// that what is there stays as it is. Nothing is removed; a repair that is interrupted can be repeated. A table of
// chunks that is damaged is made again. Files that were closed are verified, too, and keep all chunks. exists: there is
// a set of that name; unsupported: the files hold no records; truncated: they hold nothing.
LQ_API RepairReport repair_multifile(const std::string& path, const RepairOptions& options = {});

// Local. One object each, on one line (docs/reference/json.md).
LQ_API std::string to_json(const MultifileInfo& info);
LQ_API std::string to_json(const std::vector<MultifileField>& fields);  // an array
LQ_API std::string to_json(const MultifileCheck& check);
LQ_API std::string to_json(const RepairReport& report);

}  // namespace lq
