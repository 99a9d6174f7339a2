// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a set and the group of ranks: found and read, each on one rank, or gathered from those that write.
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

// Which tasks and bytes of a set a rank gets, and these on their way to it from the ranks that have read the tables.
struct FoundFile;
struct FoundSet;

// What one rank gets of the tables.
struct Share {
  std::int64_t first = 0;        // of the tasks dealt to it
  std::vector<TaskEntry> dealt;  // these
  std::uint64_t window_begin = 0;
  std::uint64_t window_bytes = 0;
  std::uint64_t before_windowed = 0;  // bytes of all tasks before those with bytes of the window
  std::vector<TaskEntry> windowed;    // these
};

// A set in parts of consecutive tasks. The tables of each are on one rank.
struct Parts {
  std::vector<std::uint64_t> tasks;  // before each part, and at the end of all
  std::vector<std::uint64_t> bytes;  // of their streams, likewise

  // Of sets that are gone on with: who does with tasks of each part. The first of them reads it.
  std::vector<comm::GatherItem> users = {};

  std::size_t count() const noexcept { return tasks.empty() ? 0 : tasks.size() - 1; }
  // Who reads a part, else. As many ranks as possible, each as few parts, which are consecutive; the first of those
  // that a part is dealt to, where every part has as many tasks.
  int reader(std::size_t part, int ranks) const noexcept;
};

// On the rank that has read them.
struct PartTables {
  std::vector<std::uint64_t> ends;                     // of the streams, contiguous
  std::function<TaskEntry(std::uint64_t task)> entry;  // of a task, counted in the part
  // What was read: one of them.
  std::shared_ptr<const FoundFile> file = {};
  std::shared_ptr<const FoundSet> set = {};
};

// What ranks get, on its way to them.
class ShareScatter {
 public:
  // Local; to be agreed on before any rank runs it. `parts` and `mine` outlive it. `mine`: the tables of the parts that
  // this rank reads. `unit`: windows are multiples of the given number of bytes.
  ShareScatter(comm::Comm& comm, const Parts& parts, const std::map<std::size_t, PartTables>& mine, std::uint64_t unit);
  // Collective, once; what it throws is to be agreed on.
  Share run();

 private:
  Share share_;
  comm::MultiScatter tasks_, windows_;
};

// A set found and read by a group of ranks: what all must know of it, and the tables, each on one rank.
struct SetTables {
  MultifileInfo info;
  std::optional<SetRecord> record;      // of file 0; nothing: written by another program
  std::optional<Error> fields_problem;  // why there are fewer fields than there should be
  Parts parts;
  std::map<std::size_t, PartTables> mine;  // of those that this rank reads
  format::sion::FixedHead head;            // of file 0; of a set that is one part on rank 0
  std::vector<storage::Identity> opened;   // of each file, by whoever looked into it; inode 0: not known
};

// Tasks by their numbers in the set, which may be more than there are.
struct TaskRange {
  std::uint64_t begin = 0, end = 0;
};

// How a set is read.
struct SetReading {
  bool counts_losses = true;  // what a repair did not find of streams is a part of them
  MissingFiles missing = MissingFiles::refused;
  // To be gone on with: this rank's tasks in the order of ranks. The first who has tasks of a file reads its tables.
  std::optional<TaskRange> mine = {};  // on all ranks or none
};

// Collective. Throws what find_set() throws. Where the set has several files whose tasks follow each other as the files
// do, which ours have, and nothing is wrong with it, each file is a part, read by one rank. Any other set is one part,
// as rank 0 finds it.
SetTables read_tables(storage::PinnedTransport& transport, const std::string& path, comm::Comm& comm,
                      const SetReading& how = {});

// What rank 0 tells all of a set of the given number of files that is as it should be, with paths of usual length.
std::uint64_t told_bytes(std::uint64_t files);

// The tables of a physical file on the rank that writes them, gathered from the ranks that write its tasks: 16 bytes
// per task when it is created, 8 per task and 8 per chunk when it is closed, and nothing of it on any other rank.

// Consecutive tasks of one rank, which are alike.
struct TaskShape {
  std::int64_t first = 0;  // number in the set
  std::uint64_t count = 0;
  std::uint64_t width = 0;  // of the chunks of each
};
// Collective. On rank 0 the bytes of a header for `tasks` tasks, of which the tables of ranks and widths are filled,
// with room for a record after it; elsewhere nothing. Like gather_table() it throws on rank 0 when all bytes have
// arrived.
std::vector<std::byte> gather_head(comm::Comm& comm, const TaskShape& mine, std::uint64_t tasks);
// Writes the header of a new file: what stands before the tables, these in `bytes` as gather_head() or encode() leave
// them, and the record behind, which gets the CRC-32 of its ranks and widths.
void write_head(storage::File& file, const format::sion::FixedHead& head, std::vector<std::byte> bytes,
                SetRecord& record);

struct GatheredTable {
  format::sion::ChunkTable table;
  std::vector<std::uint64_t> sizes;  // of the streams, if asked for
};
// Collective. On rank 0 the chunks of all streams, in the order of ranks; elsewhere nothing.
GatheredTable gather_table(comm::Comm& comm, const std::vector<std::unique_ptr<StreamWriter>>& streams, bool with_sizes,
                           std::uint64_t tasks);

}  // namespace lq::sets
