// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A folder of checkpoints: saves fields, streams of tasks and small state together, keeps the newest valid ones, and
// loads the newest of these again, on any number of ranks (docs/guide/checkpoints-in-a-folder.md,
// docs/formats/checkpoints.md).
#pragma once

#include <limequat/language.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/multifile.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

namespace lq {

// The same on all ranks.
struct CheckpointsOptions {
  std::int32_t keep = 2;         // number of newest valid checkpoints that are kept; at least 1
  std::uint64_t keep_every = 0;  // checkpoints whose step is a multiple of it are also kept; 0: none
  // Before a checkpoint is removed, this number of the newest kept ones, including the new one, is read completely and
  // compared with the sums. From 1 to `keep`.
  std::int32_t proven = 2;
  // Only loads: nothing is locked, marked or removed, so a job may write to the folder at the same time.
  bool read_only = false;
  // A folder on each node, on a local disk or in memory: a save is complete when it is stored there, and is copied to
  // the checkpoint folder while the program computes. Empty: saves directly in the checkpoint folder.
  std::string local = {};
  std::int32_t files = 0;                       // physical files of the streams, as in MultifileOptions
  Compression compression = Compression::none;  // of the streams
  // With `local`, ranks of up to `node_group` nodes (at least 2; twice as many if the rest is too small for a group)
  // store parity of each other's parts, and any `lost_nodes` of these nodes can be lost. Each node then needs
  // lost_nodes / (node_group - lost_nodes) of the space of its parts for parity. lost_nodes 0: no parity.
  std::int32_t node_group = 8;
  std::int32_t lost_nodes = 1;
};

// A field of a checkpoint; the grid spans all ranks.
struct CheckpointField {
  std::string name;  // up to 255 bytes, no control characters
  Grid grid;
  Field field;
  WriteOptions options = {};  // precision, metadata, measure, slice_checksums, block_bytes, route count
};

// All of it is borrowed until the save is complete.
struct CheckpointContents {
  std::vector<std::span<const std::byte>> streams = {};  // of this rank: one task each, in the order of ranks
  std::vector<CheckpointField> fields = {};              // the same on all ranks
  // Small values by name: counters, a random number state, JSON. The same on all ranks (otherwise ranks_disagree);
  // put data that differ between ranks into streams.
  std::map<std::string, std::vector<std::byte>> state = {};
};

// What a save did.
struct CheckpointReport {
  std::uint64_t step = 0;
  std::string path;                   // the folder of this checkpoint; with `local` the one on the node
  std::uint64_t bytes = 0;            // of its files
  double seconds = 0;                 // from the call to its completion
  std::vector<std::string> removed;   // names of removed checkpoints
  std::vector<std::string> warnings;  // sentences: what could not be removed, what is damaged
};

namespace sets {
class LoadedCheckpoint;
class CheckpointFolder;
}  // namespace sets

// A checkpoint all of whose bytes agree with their sums.
class LQ_API Checkpoint {
 public:
  explicit Checkpoint(std::unique_ptr<sets::LoadedCheckpoint> loaded);
  ~Checkpoint();
  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;

  // Local.
  std::uint64_t step() const noexcept;
  const std::string& path() const noexcept;  // its folder
  std::int64_t date() const noexcept;        // seconds since 1970
  int ranks() const noexcept;                // of the job that saved it
  std::int64_t tasks() const noexcept;       // streams, of all ranks
  const std::map<std::string, std::vector<std::byte>>& state() const noexcept;
  const std::vector<std::string>& fields() const noexcept;
  std::string field_path(const std::string& name) const;  // the file that holds it; no_such_record lists the fields
  // Sentences: newer checkpoints that are damaged, and why.
  const std::vector<std::string>& warnings() const noexcept;
  // Local. The streams, distributed over the ranks that load. no_such_record: the checkpoint has none.
  const MultifileReader& streams() const;
  // Collective. Any process grid. no_such_record lists the fields; also throws what lq::read() throws.
  Report read_field(const std::string& name, const Grid& grid, const MutableField& field,
                    const ReadOptions& options = {}) const;

 private:
  friend class Checkpoints;
  std::unique_ptr<sets::LoadedCheckpoint> loaded_;
};

// Only one job at a time can own a folder: this object holds a lock while it exists. The system releases the lock when
// the process ends, for whatever reason.
class LQ_API Checkpoints {
 public:
  // Collective. Creates the folder if it does not exist, but not its parents (not_found). wrong_state: another job
  // works in the folder; the message names it. From a folder without write permission checkpoints can be loaded;
  // save() throws no_permission.
  explicit Checkpoints(const std::string& folder, const Communicator& communicator = {},
                       const CheckpointsOptions& options = {});
  ~Checkpoints();  // abandons a background save without wait(); all ranks must then destroy the object
  Checkpoints(Checkpoints&&) noexcept;
  Checkpoints& operator=(Checkpoints&&) noexcept;

  // Collective. Saves the contents as one checkpoint, completely or not at all, also if the job is killed: it is
  // written, synced, read back, and gets its name in one step. Then checkpoints that need not be kept are removed. A
  // checkpoint of the same step is replaced. After an error nothing of it remains, older ones stay, and you can retry.
  // no_space, no_permission, ranks_disagree, invalid_argument, checksum_mismatch (the data read back differ from those
  // written), wrong_state (another job has taken the folder over).
  CheckpointReport save(std::uint64_t step, const CheckpointContents& contents);
  // Collective. The same in the background: the contents are borrowed until wait(). Only one save runs at a time;
  // another one first waits for it. Errors known by then are thrown.
  void save_async(std::uint64_t step, const CheckpointContents& contents);
  // Local. Returns true if wait() only has to complete the save; advances it if ranks exchange messages.
  bool test();
  // Collective. Completes the background save and throws its errors; with `local` it also completes the copy to the
  // checkpoint folder. Returns nothing if no save is in progress.
  std::optional<CheckpointReport> wait();

  // Collective. Returns the checkpoint with the highest step (if equal, the one saved last) all of whose bytes agree
  // with their sums; names and dates do not matter. A damaged one is marked, tried once more by a later call, and then
  // left alone; the previous one is loaded. Returns nothing if there are no checkpoints. malformed: no checkpoint is
  // valid; the message names each, and why.
  std::optional<Checkpoint> load_newest();
  // Collective. Marks a checkpoint whose bytes are right but whose numbers are useless to the program: it is not loaded
  // again.
  void reject(const Checkpoint& checkpoint, const std::string& reason);
  // Collective. Removes the marks of damaged checkpoints, so that they are tried again.
  void forget_marks();
  // Collective. Removes leftovers of killed jobs, and checkpoints that need not be kept; returns the names.
  std::vector<std::string> prune();

  const std::string& folder() const noexcept;
  const Communicator& communicator() const noexcept;

 private:
  std::unique_ptr<sets::CheckpointFolder> folder_;
};

// The contents of a folder of checkpoints.

enum class CheckpointState {
  valid,          // all bytes agree with their sums
  not_checked,    // complete, but its bytes were not read
  bad,            // damaged; it may be tried once more
  rejected,       // found damaged twice, or rejected by a program: it is not loaded
  being_written,  // by a job that works in the folder now
  leftover,       // left by a job that was killed while writing or removing it
};
LQ_API std::string_view name(CheckpointState state) noexcept;  // "valid", "not checked", ...

struct CheckpointEntry {
  std::string name;  // in the folder
  CheckpointState state = CheckpointState::valid;
  std::uint64_t step = 0;
  std::uint64_t save = 0;  // counts the saves into the folder
  std::int64_t date = 0;   // seconds since 1970; 0: not known
  std::uint64_t bytes = 0;
  int ranks = 0;
  std::int64_t tasks = 0;
  std::vector<std::string> fields;
  std::vector<std::string> problems;  // what is wrong, and when it was found
};

struct CheckpointList {
  std::string folder;
  std::vector<CheckpointEntry> entries;  // in the order in which they would be loaded; then unfinished ones
  std::vector<std::string> foreign;      // names of files and folders that do not belong to checkpoints
  std::string holder;                    // the job that works in the folder; empty: none
};

struct CheckpointListOptions {
  Verify verify = Verify::checksum;  // none: bytes are not read, and entries are "not checked"
  int threads = 0;                   // of this process; 0: as many as it has cores to itself
};

// Local. Lists the checkpoints and changes nothing. not_found, no_permission.
LQ_API CheckpointList list_checkpoints(const std::string& folder, const CheckpointListOptions& options = {});

// Local. One JSON object on one line (docs/reference/json.md).
LQ_API std::string to_json(const CheckpointList& list);
LQ_API std::string to_json(const CheckpointReport& report);

}  // namespace lq
