// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints on the nodes (formats/checkpoints.md 4): a folder for each rank, in which its part of a checkpoint is a
// checkpoint of one process. All parts together form the one saved in the shared folder. Ranks of other
// nodes keep parity of each part, so that a lost or replaced node gets its data back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <limequat/checkpoints.hpp>

#include "sets/checkpoints/directory.hpp"
#include "sets/checkpoints/node_parity.hpp"
#include "sets/checkpoints/saving.hpp"

namespace lq::sets {

class CheckpointFolder;

// The contents of a checkpoint in separate memory.
struct OwnContents {
  CheckpointContents contents;
  std::vector<std::vector<std::byte>> streams;
  std::vector<std::shared_ptr<void>> memory;  // of the fields
};

// A checkpoint stored on the nodes.
struct NodeSet {
  std::uint64_t set = 0, step = 0, save = 0, pieces = 0;
  // Some rank knows that all ranks had their parts and parity. False if the save was interrupted before.
  bool was_complete = false;
};

class NodeLevel {
 public:
  // Local. `id`: of the shared folder, so that checkpoints of another one are not used.
  NodeLevel(const Communicator& communicator, const CheckpointsOptions& options, std::uint64_t id);
  ~NodeLevel();
  // Collective. Call it first.
  void form_groups();

  // Collective. Saves this rank's part, complete and proven; then returns it in separate memory, for copying.
  OwnContents save(const SaveRequest& request, CheckpointReport& report);

  // Collective. All that exist at least in part, the newest first; on all ranks.
  std::vector<NodeSet> find() const;
  // Collective. All of one, proven, distributed over the present ranks. Throws the errors found; not_found
  // if parts are on nodes other than those that need them.
  OwnContents recover(const NodeSet& set) const;

  // Local. This rank's part of a save is not used from now on.
  void reject(std::uint64_t step, std::uint64_t save, const std::string& reason) const;

 private:
  // Local.
  void save_here(const SaveRequest& request, std::uint64_t set, CheckpointReport& report, OwnContents& own);
  void remove_part(const CheckpointReport& report) const noexcept;
  void note_complete(const CheckpointReport& report) const noexcept;
  void keep_parity(CheckpointReport& report);
  void fetch_own(const NodeSet& set, std::map<std::uint64_t, NodePart>& parts) const;
  void restore_own(const NodeSet& set, std::span<const std::uint64_t> lost, std::map<std::uint64_t, NodePart>& parts,
                   bool has_proven) const;
  void take_own(const std::string& name, std::map<std::uint64_t, NodePart>& parts) const;
  void prove_part(const NodePart& part) const;
  bool is_whole(const NodePart& part) const;
  std::vector<NodePart> parts_here(std::uint64_t set) const;
  std::vector<NodePart> published_here(std::string_view kind, std::uint64_t set) const;
  std::string folder_of(int rank) const;
  std::string folder_of_parity() const;

  Communicator communicator_;
  std::string folder_;
  std::unique_ptr<CheckpointFolder> own_;
  int nodes_of_group_;
  std::uint32_t lost_nodes_;
  std::vector<int> group_;  // ranks that keep parity of each other's parts
};

}  // namespace lq::sets
