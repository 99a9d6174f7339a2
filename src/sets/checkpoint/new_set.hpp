// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set being written by a group of ranks, from the first byte of its files to their names, and how it is cut into
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

// How a new set is cut: blocks of the file system, and widths of chunks, which users never name. Arithmetic only.

// A multiple of the file system's block that leaves room for the set record between metadata block 1 and the first
// chunk, in files of any of these numbers of tasks. too_large: there is none below 2^31.
std::int32_t choose_block(std::uint64_t unit_bytes, std::span<const std::uint64_t> tasks_of_files);

// The same without the limits that are good for new files: a multiple of `unit`, or of the least multiple of it that
// has 512 bytes.
std::int32_t roomy_block(std::uint64_t unit, std::span<const std::uint64_t> tasks_of_files);

// How many tasks each further file of the set `path` gets, whose files all have this block size: one file where it has
// room for a record after the tables of its tasks, else two that have. Empty for no tasks. unsupported: no two have.
std::vector<std::uint64_t> roomy_parts(const std::string& path, std::uint64_t block, std::uint64_t tasks);

// Of each chunk of a stream: what is expected, up to a limit that keeps the table of chunks and the memory of readers
// small, rounded up to a block.
std::uint64_t choose_width(std::uint64_t expected_bytes, std::uint64_t block_bytes, Compression compression,
                           std::uint64_t frame_bound);

// The number of physical files where users name none. Where a file has one writer at a time, one per rank and 8 at
// most; else one per 4096 ranks, in the range where the SIONlib paper found the best rates.
std::int32_t choose_files(bool one_writer, int ranks);

// The physical file of a rank: blocks of ranks, the last of which takes the rest.
std::int32_t file_of_rank(int rank, int ranks, std::int32_t files);

// A set being written by a group of ranks, from the first byte of its files to their names.

inline constexpr std::int32_t most_streams = 1 << 16;  // of a rank

// Local. invalid_argument, unsupported.
void require_options(const MultifileOptions& options, const std::string& path);
// Local. Bytes of all streams of this rank, for the choice of stripes; 0: not known.
std::uint64_t expected_of(const MultifileOptions& options) noexcept;
// What all ranks must ask for alike.
std::vector<comm::Stated> stated(const std::string& path, const MultifileOptions& options);

// The base of both kinds of sets that are written: new ones, and those that are appended to.
class NewSet {
 public:
  virtual ~NewSet() = default;
  NewSet(const NewSet&) = delete;
  NewSet& operator=(const NewSet&) = delete;

  std::int64_t tasks() const noexcept { return tasks_; }
  std::vector<std::unique_ptr<StreamWriter>>& streams() noexcept { return streams_; }
  // Local. The streams as users know them; there is room for them since the beginning.
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

  // Collective, once all ranks ask for the same. From arguments to open streams.
  virtual void begin() = 0;
  comm::Comm& all() const noexcept { return communicator_.engine(); }
  StreamSettings settings() const;
  // Local. A new physical file, of whose tasks the given number of bytes are expected; 0: not known.
  std::unique_ptr<storage::File> create_file_of_tasks(const std::string& part, std::uint64_t bytes);
  // Local, once the head of a new physical file was written. Streams of other ranks sync what their node wrote: what a
  // repair needs beside it is on the disk from the beginning.
  void sync_head(storage::File& file) const;
  // Local, on every rank. wrong_state: another program has taken the set over, of which no byte may be changed then.
  virtual void require_own() = 0;
  // Collective. A file for fields, or the one there is.
  virtual FieldsWriter::Start open_fields() = 0;
  // Collective. Behind the streams, which are flushed; no field is written any more.
  virtual void finish() = 0;
  // Collective. The complete set gets its name; an error says by itself where the data are.
  virtual void publish() {}
  // The same error, which says what has become of the bytes written.
  [[noreturn]] void throw_with_remedy(const Error& error) const;
  virtual void remove() = 0;
  // Of one's own where the set is while it is written.
  virtual std::string whereabouts() const = 0;

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

// Collective. A set of this kind, once all ranks ask for the same.
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
