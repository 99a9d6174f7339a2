// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads multifiles for rewriting, and writes new ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <limequat/repack.hpp>

#include "base/function_ref.hpp"
#include "comm/team.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"
#include "format/sion/set.hpp"
#include "format/sion/tail.hpp"
#include "io/new_file.hpp"
#include "sets/checkpoint/fields_writer.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/record.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// Physical files of a new multifile, which are all renamed when all are complete.

// Readers accept at most this many chunks.
inline constexpr std::uint64_t most_chunks = format::sion::Bounds{}.chunks;
// Bytes of a stream in memory at a time.
inline constexpr std::uint64_t piece_bytes = 1024 * 1024;

// One physical file: its own description. The number of chunks, the position of metadata block 2 and the chunk widths
// follow from it.
struct FilePlan {
  std::string path;
  format::sion::Head head;
  format::sion::ChunkTable table;
  std::optional<std::vector<format::sion::Place>> map;
  std::vector<StreamLoss> losses;       // of a checkpoint: known losses of its streams
  std::vector<std::string> likes = {};  // of the first file: its sources; who may not read them may not read the file
};

// invalid_argument: a block size that a header cannot state.
std::int32_t checked_block(std::uint64_t block, const std::string& path);
// One physical file as by serial writers, with one chunk of the given number of bytes for each task.
FilePlan plan_single_file(const std::string& path, std::uint64_t block, const std::vector<std::int64_t>& bytes);

// Fills `buffer` with the next bytes of a task's stream.
using ReadTask = std::function<void(base::MutableBytes buffer)>;
// Opens the stream of a local task of a planned file. Several threads call it concurrently, each for its own task.
using OpenTask = std::function<ReadTask(std::size_t file, std::int32_t task)>;

// Progress reports to the user, by the calling thread only, which is number 0.
class Progressing {
 public:
  Progressing(const Progress& tell, std::uint64_t total) : tell_(tell), total_(total) {}

  void add(std::uint64_t some, int thread = 0) {
    const std::uint64_t done = done_.fetch_add(some, std::memory_order_relaxed) + some;
    if (thread == 0) say(done);
  }
  // Others may have ended after the caller.
  void finish() {
    if (told_ != done_) say(done_);
  }

 private:
  void say(std::uint64_t done) {
    told_ = done;
    if (tell_) tell_(done, total_);
  }

  const Progress& tell_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
  std::uint64_t told_ = 0;
};

// Writes the physical files of a multifile, all or none: under temporary names, until all are complete. Local.
class SetWriter {
 public:
  SetWriter(storage::Transport& transport, std::vector<FilePlan> plans, const RepackOptions& options);
  virtual ~SetWriter() = default;
  SetWriter(const SetWriter&) = delete;
  SetWriter& operator=(const SetWriter&) = delete;

  RepackReport run(const OpenTask& open);

 protected:
  // Throws if the set cannot be written.
  virtual void require_targets() const;
  virtual void write_file(std::size_t number, const OpenTask& open, storage::File& file, Progressing& progress) = 0;
  // Data of the set next to its files.
  virtual bool has_fields() const { return false; }
  virtual bool has_generation() const { return false; }
  virtual std::uint64_t bytes_of_fields() const { return 0; }
  virtual void write_fields(storage::File&, Progressing&) {}

  // The remedy if some files were renamed and others could not be.
  virtual std::string remedy() const = 0;

  std::string part(const std::string& name) const;  // its temporary name
  const std::string& path() const noexcept { return plans_.front().path; }
  // Calls write(thread, task) for all tasks of a file, in parallel.
  void for_each_task(std::size_t number, base::FunctionRef<void(int thread, std::int32_t task)> write);
  // Reads a stream of the given number of bytes, piece by piece.
  static void copy_stream(const ReadTask& read, std::uint64_t bytes, Progressing& progress, int thread,
                          const std::function<void(base::Bytes)>& work);

  storage::Transport& transport_;
  std::vector<FilePlan> plans_;
  const RepackOptions& options_;
  const Generation generation_ = new_generation();
  std::vector<format::sion::Geometry> geometries_;
  RepackReport report_;

 private:
  void write_part(const std::string& name, const std::function<void(storage::File&)>& work);
  void publish();

  std::optional<comm::Team> team_;  // while it runs
  std::vector<std::string> parts_;
  std::int32_t older_files_ = 0;
};

// Local. A multifile without records.
RepackReport write_set(storage::Transport& transport, std::vector<FilePlan> plans, const OpenTask& open,
                       const RepackOptions& options);

// Reads multifiles for rewriting: opened as a set, their tasks as streams. Streams of checkpoints are compared with
// their checksums and decompressed; headers of key-value records are converted to the byte order of this machine.

// Local. A complete set, through any of its files. Throws the errors of opening; unknown_format for other files.
FoundSet open_whole_set(storage::Transport& transport, const std::string& path, const RepackOptions& options);
// Local. What is left of a set that was written without records. Throws the same.
format::sion::Set open_damaged_set(storage::Transport& transport, const std::string& path,
                                   const RepackOptions& options);

// The stored streams of the set's files, which stay open while they are read. The set must outlive the result.
OpenTask streams_of(storage::Transport& transport, const format::sion::Set& set);
// Whether the streams' checksums are compared.
enum class Checksums { compared, left_out };
OpenTask streams_of(storage::Transport& transport, const FoundSet& found, Checksums checksums);

// The same physical files under other names, in this machine's byte order.
std::vector<FilePlan> same_files(const format::sion::Set& set, const std::string& to);
// Chunks filled with the original streams.
std::vector<FilePlan> same_files(const FoundSet& found, const std::string& to);

// Fields that are not copied, and the reasons.
std::vector<Finding> lost_fields(const CopiedFields& fields);

// True if two names refer to the same file: literally, or by links and other folders.
bool is_same_file(const std::string& a, const std::string& b);
// Throws invalid_argument if one of the new files is one of the set's, whatever its name.
void require_other_files(const format::sion::Set& set, const std::vector<FilePlan>& plans);
// ... or the one with its fields.
void require_other_files(const FoundSet& found, const std::vector<FilePlan>& plans);

}  // namespace lq::sets
