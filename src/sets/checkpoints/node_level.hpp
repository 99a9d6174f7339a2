// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints on the nodes (formats/checkpoints.md 4): a folder for each rank, in which its part of a checkpoint is a
// checkpoint of one process. From all parts together comes the one that is saved in the shared folder. Ranks of other
// nodes keep parity of each part, so that a node that is lost, or is a new one, gets back what it had.
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

// The contents of a checkpoint with memory of their own.
struct OwnContents {
  CheckpointContents contents;
  std::vector<std::vector<std::byte>> streams;
  std::vector<std::shared_ptr<void>> memory;  // that the fields lie in
};

// A checkpoint that lies on the nodes.
struct NodeSet {
  std::uint64_t set = 0, step = 0, save = 0, pieces = 0;
};

class NodeLevel {
 public:
  // Local. `id`: of the shared folder, so that no other one's checkpoints are taken for its own.
  NodeLevel(const Communicator& communicator, const CheckpointsOptions& options, std::uint64_t id);
  ~NodeLevel();
  // Collective. Before all else.
  void form_groups();

  // Collective. This rank's part, complete and proven; then all of it in memory of its own, to be copied from there.
  OwnContents save(const SaveRequest& request, CheckpointReport& report);

  // Collective. Those of which there is anything, the newest first; on all ranks.
  std::vector<NodeSet> find() const;
  // Collective. All of one, proven, dealt to the ranks that there are now. Throws what is wrong with it; not_found
  // where parts are on other nodes than those who need them.
  OwnContents recover(const NodeSet& set) const;

  // Local. This rank's part of a save is left alone from now on.
  void reject(std::uint64_t step, std::uint64_t save, const std::string& reason) const;

 private:
  // Local.
  void save_here(const SaveRequest& request, std::uint64_t set, CheckpointReport& report, OwnContents& own);
  void remove_part(const CheckpointReport& report) const noexcept;
  void keep_parity(CheckpointReport& report);
  void fetch_own(const NodeSet& set, std::map<std::uint64_t, NodePart>& parts) const;
  void restore_own(const NodeSet& set, std::span<const std::uint64_t> lost,
                   std::map<std::uint64_t, NodePart>& parts) const;
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
