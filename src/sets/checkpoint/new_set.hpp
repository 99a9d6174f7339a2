// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set being written by a group of ranks, from the first byte to publication, and its division into
// blocks and chunks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <limequat/multifile.hpp>

#include "comm/agree.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/fields_writer.hpp"
#include "sets/checkpoint/stream.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// The layout of a new set: file system blocks, and widths of chunks, which users never specify. Arithmetic only.

// A multiple of the file system's block with space for the set record between metadata block 1 and the first
// chunk, in files with any of these numbers of tasks. too_large: there is none below 2^31.
std::int32_t choose_block(std::uint64_t unit_bytes, std::span<const std::uint64_t> tasks_of_files);

// The same without the limits for new files: a multiple of `unit`, or of its least multiple of at least
// 512 bytes.
std::int32_t roomy_block(std::uint64_t unit, std::span<const std::uint64_t> tasks_of_files);

// The number of tasks in each additional file of the set `path`, whose files all have this block size: one file if it
// has space for a record after the tables of its tasks, else two. Empty for no tasks. unsupported: two are not enough.
std::vector<std::uint64_t> roomy_parts(const std::string& path, std::uint64_t block, std::uint64_t tasks);

// The width of each chunk of a stream: the expected bytes, up to a limit that keeps the table of chunks and the memory
// of readers small, rounded up to a block.
std::uint64_t choose_width(std::uint64_t expected_bytes, std::uint64_t block_bytes, Compression compression,
                           std::uint64_t frame_bound);

// The number of physical files if the user gives none. If a file has one writer at a time, one per rank and at most
// 8; else one per 4096 ranks, in the range with the best rates in the SIONlib paper.
std::int32_t choose_files(bool one_writer, int ranks);

// The physical file of a rank: blocks of ranks; the last block takes the remainder.
std::int32_t file_of_rank(int rank, int ranks, std::int32_t files);

// A set being written by a group of ranks, from the first byte to publication.

inline constexpr std::int32_t most_streams = 1 << 16;  // per rank

// Local. invalid_argument, unsupported.
void require_options(const MultifileOptions& options, const std::string& path);
// Local. Bytes of all streams of this rank, for the choice of stripes; 0: unknown.
std::uint64_t expected_of(const MultifileOptions& options) noexcept;
// Arguments that all ranks must agree on.
std::vector<comm::StatedArgument> stated(const std::string& path, const MultifileOptions& options);

// The base of both kinds of sets being written: new ones, and those that are appended to.
class NewSet {
 public:
  virtual ~NewSet() = default;
  NewSet(const NewSet&) = delete;
  NewSet& operator=(const NewSet&) = delete;

  std::int64_t tasks() const noexcept { return tasks_; }
  std::vector<std::unique_ptr<StreamWriter>>& streams() noexcept { return streams_; }
  // Local. The streams in their public form; their memory was allocated at the beginning.
  std::vector<OutStream> take_handles() noexcept;

  // Collective. As MultifileWriter::write_field().
  Report write_field(const std::string& name, const Grid& grid, const Field& field, const WriteOptions& options);

  // Collective. wrong_state: closed or discarded already.
  void close();
  void discard();

 protected:
  // Local.
  NewSet(storage::Transport& transport, const std::string& path, const Communicator& communicator,
         const MultifileOptions& options)
      : transport_(transport), path_(path), communicator_(communicator), options_(options) {
    handles_.reserve(static_cast<std::size_t>(std::clamp(options.streams, 0, most_streams)));
  }

  // Collective, after the agreement on arguments. From arguments to open streams.
  virtual void begin() = 0;
  comm::Comm& all() const noexcept { return communicator_.engine(); }
  StreamSettings settings() const;
  // Local. A new physical file for tasks with the given total of expected bytes; 0: unknown.
  std::unique_ptr<storage::File> create_file_of_tasks(const std::string& part, std::uint64_t bytes);
  // Local, after the head of a new physical file was written. Streams of other ranks sync only data of their node: the
  // other data that a repair needs are on disk from the beginning.
  void sync_head(storage::File& file) const;
  // Local, on every rank. wrong_state: another program has taken over the set; then no byte may be changed.
  virtual void require_own() = 0;
  // Collective. A new or existing file for fields.
  virtual FieldsWriter::Start open_fields() = 0;
  // Collective. After the streams were flushed and the last field written.
  virtual void finish() = 0;
  // Collective. Renames the complete set; an error contains the location of the data.
  virtual void publish() {}
  // The same error, extended by what happened to the written data.
  [[noreturn]] void throw_with_remedy(const Error& error) const;
  virtual void remove() = 0;
  // Where the set is while it is written.
  virtual std::string shown_path() const = 0;

  storage::Transport& transport_;
  std::string path_;
  Communicator communicator_;
  MultifileOptions options_;
  Generation generation_;
  std::int64_t tasks_ = 0;
  std::vector<std::unique_ptr<StreamWriter>> streams_;
  std::unique_ptr<FieldsWriter> fields_;  // from the first field on
  std::vector<OutStream> handles_;

 private:
  void require_open() const;
  bool is_open_ = true;
};

// Collective. Creates a set of this kind after the agreement on arguments.
template <class Set>
std::unique_ptr<NewSet> begin_set(storage::Transport& transport, const std::string& path,
                                  const Communicator& communicator, const MultifileOptions& options) {
  std::unique_ptr<Set> set;
  comm::require_same(communicator.engine(), [&] {
    set = std::make_unique<Set>(transport, path, communicator, options);
    return stated(path, options);
  });
  set->begin();
  return set;
}

// Collective.
std::unique_ptr<NewSet> create_set(storage::Transport& transport, const std::string& path,
                                   const Communicator& communicator, const MultifileOptions& options);
std::unique_ptr<NewSet> append_to_set(storage::Transport& transport, const std::string& path,
                                      const Communicator& communicator, const MultifileOptions& options);

}  // namespace lq::sets
