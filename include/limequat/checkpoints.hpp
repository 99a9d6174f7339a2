// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A folder of checkpoints: fields, streams of tasks and small state saved together, the newest valid ones kept, and the
// newest of these loaded again, on any number of ranks (docs/guide/checkpoints-in-a-folder.md,
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
  std::int32_t keep = 2;         // newest valid checkpoints that stay; at least 1
  std::uint64_t keep_every = 0;  // those whose step is a multiple of it stay, too; 0: none
  // Before one is removed, so many of the newest that stay are read as a whole and compared with their sums: the new
  // one, and those before it. At least 1, `keep` at most.
  std::int32_t proven = 2;
  // Only loads: nothing is locked, marked or removed, so that a job may be writing to the folder meanwhile.
  bool read_only = false;
  // A folder on each node, of a local disk or in memory: what is saved is complete once it is there, and is copied to
  // the checkpoint folder while the program computes. Empty: saved in the checkpoint folder at once.
  std::string local = {};
  std::int32_t files = 0;                       // physical files of the streams, as in MultifileOptions
  Compression compression = Compression::none;  // of the streams
  // With `local`, ranks of up to `node_group` nodes (at least 2; twice as many if the rest is too small for a group)
  // keep parity of each other's parts, and any `lost_nodes` of them can be lost. Each node then needs
  // lost_nodes / (node_group - lost_nodes) of the space of its parts for parity. lost_nodes 0: no parity.
  std::int32_t node_group = 8;
  std::int32_t lost_nodes = 1;
};

// A field of a checkpoint; the grid is that of all ranks.
struct CheckpointField {
  std::string name;  // up to 255 bytes, no control characters
  Grid grid;
  Field field;
  WriteOptions options = {};  // precision, metadata, measure, slice_checksums, block_bytes, route count
};

// All of it is borrowed until the save is complete.
struct CheckpointContents {
  std::vector<std::span<const std::byte>> streams = {};  // of this rank: a task each, in the order of ranks
  std::vector<CheckpointField> fields = {};              // the same on all ranks
  // Small things by name: counters, a random number state, JSON. The same on all ranks (else ranks_disagree): what
  // differs between ranks belongs in streams.
  std::map<std::string, std::vector<std::byte>> state = {};
};

// What a save did.
struct CheckpointReport {
  std::uint64_t step = 0;
  std::string path;                   // the folder of this checkpoint; with `local` that on the node
  std::uint64_t bytes = 0;            // of its files
  double seconds = 0;                 // from the call to its completion
  std::vector<std::string> removed;   // checkpoints that went, by name
  std::vector<std::string> warnings;  // sentences: what could not be removed, what was found to be damaged
};

namespace sets {
class LoadedCheckpoint;
class CheckpointFolder;
}  // namespace sets

// A checkpoint that was proven to be as it was written.
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
  std::string field_path(const std::string& name) const;  // the file that holds it; no_such_record lists what there is
  // Sentences: newer ones that are damaged, and why.
  const std::vector<std::string>& warnings() const noexcept;
  // Local. The streams, dealt out to the ranks that load. no_such_record: it has none.
  const MultifileReader& streams() const;
  // Collective. Any process grid. no_such_record lists what there is; what lq::read() throws.
  Report read_field(const std::string& name, const Grid& grid, const MutableField& field,
                    const ReadOptions& options = {}) const;

 private:
  friend class Checkpoints;
  std::unique_ptr<sets::LoadedCheckpoint> loaded_;
};

// Whoever has one is the only one who changes the folder: while it lives it holds a lock, which the system takes back
// when the process ends, however that happens.
class LQ_API Checkpoints {
 public:
  // Collective. Makes the folder where there is none, but not those above it (not_found). wrong_state: another job
  // works in the folder; the sentence says which. Of a folder that cannot be written to, checkpoints are loaded; save()
  // says why it cannot be (no_permission).
  explicit Checkpoints(const std::string& folder, const Communicator& communicator = {},
                       const CheckpointsOptions& options = {});
  ~Checkpoints();  // a save in the background that nobody waited for is given up; then all ranks destroy it
  Checkpoints(Checkpoints&&) noexcept;
  Checkpoints& operator=(Checkpoints&&) noexcept;

  // Collective. Saves all of it as one checkpoint, which is there as a whole or not at all, also if the job is killed:
  // written, synced, read back, and given its name in one step. Then those that are not to be kept are removed. One of
  // the same step is replaced. On an error nothing of it stays, older ones stay, and it can be saved again.
  // no_space, no_permission, ranks_disagree, invalid_argument, checksum_mismatch (it was read back otherwise than it
  // was written), wrong_state (another job has taken the folder over).
  CheckpointReport save(std::uint64_t step, const CheckpointContents& contents);
  // Collective. The same in the background: the contents are borrowed until wait(). One at a time: another save waits
  // for it first. Errors known by then are thrown.
  void save_async(std::uint64_t step, const CheckpointContents& contents);
  // Local. Whether nothing is left for wait() but to complete the save; moves it on where ranks exchange messages.
  bool test();
  // Collective. Completes the save in the background, whose errors surface here; with `local` also the copy to the
  // checkpoint folder. Nothing if there is none.
  std::optional<CheckpointReport> wait();

  // Collective. The checkpoint with the highest step, of equal ones that saved last, all of whose bytes agree with
  // their sums; names and dates do not matter. One that is found to be damaged is marked, tried once more by a later
  // call, and then left alone; the one before it is loaded. Nothing where there are no checkpoints. malformed: none of
  // those there is valid; the sentence names each, and why.
  std::optional<Checkpoint> load_newest();
  // Collective. This one was read as it was written, but is of no use (the program found its numbers wrong): it is
  // left alone from now on.
  void reject(const Checkpoint& checkpoint, const std::string& reason);
  // Collective. Takes the marks of damaged checkpoints away, so that they are tried again.
  void forget_marks();
  // Collective. Removes what a killed job left, and what is not to be kept; returns the names.
  std::vector<std::string> prune();

  const std::string& folder() const noexcept;
  const Communicator& communicator() const noexcept;

 private:
  std::unique_ptr<sets::CheckpointFolder> folder_;
};

// What is in a folder of checkpoints.

enum class CheckpointState {
  valid,          // all bytes agree with their sums
  not_checked,    // complete, but its bytes were not read
  bad,            // damaged; it may be tried once more
  rejected,       // twice found to be damaged, or rejected by a program: it is not loaded
  being_written,  // by a job that works in the folder now
  leftover,       // of a job that was killed, or being removed then
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
  std::vector<CheckpointEntry> entries;  // in the order in which they would be loaded; then what is unfinished
  std::vector<std::string> foreign;      // names of what is not of checkpoints
  std::string holder;                    // the job that works in the folder; empty: none
};

struct CheckpointListOptions {
  Verify verify = Verify::checksum;  // none: bytes are not read, and entries are "not checked"
  int threads = 0;                   // of this process; 0: as many as it has cores to itself
};

// Local. Changes nothing. not_found, no_permission.
LQ_API CheckpointList list_checkpoints(const std::string& folder, const CheckpointListOptions& options = {});

// Local. One object each, on one line (docs/reference/json.md).
LQ_API std::string to_json(const CheckpointList& list);
LQ_API std::string to_json(const CheckpointReport& report);

}  // namespace lq
