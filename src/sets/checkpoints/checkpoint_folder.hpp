// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Implementation of the public Checkpoints: selects the one to load and those to keep, and runs the current save. All
// calls are collective unless stated otherwise.
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

// Implementation of the public Checkpoint.
class LoadedCheckpoint {
 public:
  // Local. For a proven checkpoint.
  LoadedCheckpoint(const CheckpointDirectory& directory, std::string name, Manifest found);
  // Collective. Its state and streams. Throws the errors of opening and reading.
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
  std::vector<comm::StatedArgument> stated() const;  // local
  void open();

  void begin_save(SaveRequest request);
  // With a level on the nodes: the checkpoint is complete there when this returns, and is being copied.
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
  // Which checkpoints of a listing stay and which are removed; at the root.
  struct Plan {
    std::vector<std::string> kept;     // those that count as valid, the newest first
    std::vector<std::string> removed;  // names
  };

  void begin_at_root();
  void open_nodes();
  void number(SaveRequest& request);  // assigns the number of the save
  void start(SaveRequest request);
  bool recover(std::uint64_t step, std::uint64_t save, std::vector<std::string>& bad);
  void require_writable();                     // at the root
  void clean(std::vector<std::string>& gone);  // at the root
  Plan plan(const Listing& listing) const;
  void mark(const std::string& name, const Error& error);                                      // at the root
  std::optional<Listed> next_of(std::set<std::string>& seen, std::vector<std::string>& told);  // at the root
  // Runs `work`; if it finds a fault of a checkpoint, marks it.
  bool is_proven(const std::string& name, base::FunctionRef<void()> work, std::vector<std::string>& told);
  void keep_newest(std::vector<std::string>& removed, std::vector<std::string>& warnings);
  std::unique_ptr<LoadedCheckpoint> load(const std::string& name, const Manifest& manifest,
                                         std::vector<std::string>& bad);

  CheckpointDirectory directory_;
  Communicator communicator_;
  CheckpointsOptions options_;
  std::optional<Error> refusal_;  // at the root: why nothing can be written
  std::uint64_t last_save_ = 0;   // at the root, except for those recovered from the nodes
  std::string newest_;            // at the root: name of the checkpoint saved last
  std::set<std::string> proven_;  // at the root: found to be valid since the last save began
  std::unique_ptr<NodeLevel> nodes_;
  std::set<std::uint64_t> looked_at_;    // sets on the nodes examined by the current load
  std::unique_ptr<OwnContents> copied_;  // data saved from separate memory
  std::unique_ptr<Saving> saving_;       // the current save
};

}  // namespace lq::sets
