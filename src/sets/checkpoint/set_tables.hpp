// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a set in a group of ranks: found and read, each on one rank, or gathered from the writing ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/multifile.hpp>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "comm/multi_root.hpp"
#include "format/sion/head.hpp"
#include "format/sion/tail.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/record.hpp"
#include "sets/checkpoint/stream.hpp"
#include "storage/pinned_transport.hpp"

namespace lq::sets {

// The tasks and bytes of a set that a rank gets, and their transfer from the ranks that have read the tables.
struct FoundFile;
struct FoundSet;

// A rank's part of the tables.
struct Share {
  std::int64_t first = 0;        // of the assigned tasks
  std::vector<TaskEntry> dealt;  // the assigned tasks
  std::uint64_t window_begin = 0;
  std::uint64_t window_bytes = 0;
  std::uint64_t before_windowed = 0;  // bytes of all tasks before those of the window
  std::vector<TaskEntry> windowed;    // the tasks of the window
};

// A set in parts of consecutive tasks. One rank has the tables of each.
struct Parts {
  std::vector<std::uint64_t> tasks;  // before each part, and at the end of all
  std::vector<std::uint64_t> bytes;  // of their streams, likewise

  // For sets that are appended to: the ranks that use tasks of each part. The first of them reads it.
  std::vector<comm::GatherItem> users = {};

  std::size_t count() const noexcept { return tasks.empty() ? 0 : tasks.size() - 1; }
  // The reader of a part otherwise. As many ranks as possible read, each as few consecutive parts as possible; if
  // all parts have equally many tasks, the first rank that a part is assigned to.
  int reader(std::size_t part, int ranks) const noexcept;
};

// On the rank that has read them.
struct PartTables {
  std::vector<std::uint64_t> ends;                     // of the streams, in sequence
  std::function<TaskEntry(std::uint64_t task)> entry;  // for a task, counted in the part
  // The file read, for one part.
  std::shared_ptr<const FoundFile> file = {};
  std::shared_ptr<const FoundSet> set = {};
};

// Transfers the ranks' parts.
class ShareScatter {
 public:
  // Local; to be agreed on before any rank runs it. `parts` and `mine` must outlive it. `mine`: the tables of the parts
  // that this rank reads. `unit`: windows are multiples of the given number of bytes.
  ShareScatter(comm::Comm& comm, const Parts& parts, const std::map<std::size_t, PartTables>& mine, std::uint64_t unit);
  // Collective, once; errors must be agreed on.
  Share run();

 private:
  Share share_;
  comm::MultiScatter tasks_, windows_;
};

// A set found and read by a group of ranks: common facts, and the tables, each on one rank.
struct SetTables {
  MultifileInfo info;
  std::optional<SetRecord> record;      // of file 0; empty: written by another program
  std::optional<Error> fields_problem;  // why there are fewer fields than there should be
  Parts parts;
  std::map<std::size_t, PartTables> mine;  // of the parts that this rank reads
  format::sion::FixedHead head;            // of file 0; for a set with one part on rank 0
  std::vector<storage::Identity> opened;   // of each file, from the rank that examined it; inode 0: unknown
};

// Tasks by their numbers in the set, which may exceed the existing ones.
struct TaskRange {
  std::uint64_t begin = 0, end = 0;
};

// How to read a set.
struct SetReading {
  bool counts_losses = true;  // losses found by a repair count as parts of streams
  MissingFiles missing = MissingFiles::refused;
  // For appending: this rank's tasks in the order of ranks. The first rank with tasks of a file reads its tables.
  std::optional<TaskRange> mine = {};  // on all ranks or none
};

// Collective. Throws the errors of find_set(). If the set has several intact files whose tasks follow each other in the
// order of files, as in sets of this interface, each file is a part, read by one rank. Any other set is one part,
// read by rank 0.
SetTables read_tables(storage::PinnedTransport& transport, const std::string& path, comm::Comm& comm,
                      const SetReading& how = {});

// Bytes that rank 0 sends to all about an intact set with this number of files and paths of usual length.
std::uint64_t message_bytes(std::uint64_t files);

// The tables of a physical file on the rank that writes them, gathered from the ranks that write its tasks: 16 bytes
// per task when it is created, 8 per task and 8 per chunk when it is closed, and nothing of it on any other rank.

// Consecutive tasks of one rank with equal chunks.
struct TaskShape {
  std::int64_t first = 0;  // number in the set
  std::uint64_t count = 0;
  std::uint64_t width = 0;  // of each task's chunks
};
// Collective. On rank 0 the bytes of a header for `tasks` tasks with the tables of ranks and widths filled in,
// with space for a record after it; empty elsewhere. Like gather_table() it throws on rank 0 after all bytes have
// arrived.
std::vector<std::byte> gather_head(comm::Comm& comm, const TaskShape& mine, std::uint64_t tasks);
// Writes the header of a new file: the part before the tables, these in `bytes` as left by gather_head() or encode(),
// and the record after them, which gets the CRC-32 of its ranks and widths.
void write_head(storage::File& file, const format::sion::FixedHead& head, std::vector<std::byte> bytes,
                SetRecord& record);

struct GatheredTable {
  format::sion::ChunkTable table;
  std::vector<std::uint64_t> sizes;  // of the streams, if requested
};
// Collective. On rank 0 the chunks of all streams, in the order of ranks; empty elsewhere.
GatheredTable gather_table(comm::Comm& comm, const std::vector<std::unique_ptr<StreamWriter>>& streams, bool with_sizes,
                           std::uint64_t tasks);

}  // namespace lq::sets
