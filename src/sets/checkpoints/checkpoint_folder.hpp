// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands behind the public Checkpoints: which one is loaded, which ones stay, and the save that is under way. All
// calls are collective unless said otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <limequat/checkpoints.hpp>

#include "base/function_ref.hpp"
#include "sets/checkpoints/directory.hpp"
#include "sets/checkpoints/node_level.hpp"
#include "sets/checkpoints/saving.hpp"

namespace lq::sets {

// What stands behind the public Checkpoint.
class LoadedCheckpoint {
 public:
  // Local. Of a checkpoint that was proven.
  LoadedCheckpoint(const CheckpointDirectory& directory, std::string name, Manifest found);
  // Collective. Its state and streams. What opening and reading throws.
  void read(const CheckpointDirectory& directory, const Communicator& communicator);

  Manifest manifest;
  std::string name, path;
  std::map<std::string, std::vector<std::byte>> state;
  std::vector<std::string> fields, warnings;
  std::optional<MultifileReader> streams;
};

class CheckpointFolder {
 public:
  // Local.
  CheckpointFolder(const std::string& folder, const Communicator& communicator, const CheckpointsOptions& options);
  std::vector<comm::Stated> stated() const;  // local
  void open();

  void begin_save(SaveRequest request);
  // With a level on the nodes: there it is complete when this returns, and the copy of it is under way.
  CheckpointReport save_on_nodes(SaveRequest request);
  bool has_nodes() const noexcept { return !options_.local.empty() && !options_.read_only; }
  bool test();  // local
  std::optional<CheckpointReport> complete_save();

  std::unique_ptr<LoadedCheckpoint> load_newest();
  void reject(const LoadedCheckpoint& checkpoint, const std::string& reason);
  void forget_marks();
  std::vector<std::string> prune();

  const std::string& path() const noexcept { return directory_.path(); }
  CheckpointDirectory& directory() noexcept { return directory_; }
  const Communicator& communicator() const noexcept { return communicator_; }
  const CheckpointsOptions& options() const noexcept { return options_; }

 private:
  // What of a listing stays and goes; at the root.
  struct Plan {
    std::vector<std::string> kept;     // that count as valid, the newest first
    std::vector<std::string> removed;  // names
  };

  void begin_at_root();
  void open_nodes();
  void number(SaveRequest& request);  // which save it is
  void start(SaveRequest request);
  bool recover(std::uint64_t step, std::uint64_t save, std::vector<std::string>& bad);
  void require_writable();                     // at the root
  void clean(std::vector<std::string>& gone);  // at the root
  Plan plan(const Listing& listing) const;
  void mark(const std::string& name, const Error& error);                                      // at the root
  std::optional<Listed> next_of(std::set<std::string>& seen, std::vector<std::string>& told);  // at the root
  // What `work` finds wrong with a checkpoint, which is marked then.
  bool is_proven(const std::string& name, base::FunctionRef<void()> work, std::vector<std::string>& told);
  void keep_newest(std::vector<std::string>& removed, std::vector<std::string>& warnings);
  std::unique_ptr<LoadedCheckpoint> load(const std::string& name, const Manifest& manifest,
                                         std::vector<std::string>& bad);

  CheckpointDirectory directory_;
  Communicator communicator_;
  CheckpointsOptions options_;
  std::optional<Error> refusal_;  // at the root: why nothing can be written
  std::uint64_t last_save_ = 0;   // at the root, but for what was recovered from the nodes
  std::string newest_;            // at the root: what was saved last, by name
  std::set<std::string> proven_;  // at the root: found to be valid since the last save began
  std::unique_ptr<NodeLevel> nodes_;
  std::set<std::uint64_t> looked_at_;    // sets on the nodes, by the load that is under way
  std::unique_ptr<OwnContents> copied_;  // what is saved out of memory of its own
  std::unique_ptr<Saving> saving_;       // under way
};

}  // namespace lq::sets
