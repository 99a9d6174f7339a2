// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parity of parts on nodes (formats/checkpoints.md 4): ranks of different nodes form a group, and each keeps
// Reed-Solomon parity of the others' parts. A lost or replaced node gets its parts back from the rest.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "sets/checkpoints/directory.hpp"
#include "sets/checkpoints/manifest.hpp"

namespace lq::sets {

// Bounds of the options node_group and lost_nodes: the ranks of a group and its parities fit one code.
inline constexpr int most_nodes_of_group = 100, most_lost_nodes = 16;

// A published part, or published parity.
struct NodePart {
  std::string folder, name;  // of the rank, and within that
  Manifest manifest;
};

// Local. The groups: of each rank the ranks of its group, ascending, each on another node; none if no rank of another
// node is left for it. `node_of_rank`: a number for each node. A group spans `nodes` nodes, up to twice as many if the
// rest of them is too small for a group, or all if there are fewer.
std::vector<std::vector<int>> form_parity_groups(std::span<const std::int32_t> node_of_rank, int nodes);

// Collective. The group of this rank.
std::vector<int> form_parity_group(comm::Comm& comm, int nodes);

// Collective. Every rank gives its part, and parity of the parts of its group is published in `into`; ranks without a
// group only take part. Any `restorable` of the group's parts can be restored from the others; fewer if the group has
// no more members than that. Returns how many can be, 0 without a group. After an error some ranks may have published
// theirs: restore_parts() uses what exists. A rank holds up to 50 MiB.
std::uint32_t write_parity(comm::Comm& comm, std::span<const int> group, std::uint32_t restorable, const NodePart& part,
                           const CheckpointDirectory& into);

// Collective. Restores the parts of the ranks `lost`, in ascending order and the same on all ranks: each on its own
// rank, published in its `into`, if enough of its group is left. `parts`: intact ones that this rank can read, by their
// rank; `parity`: the same of parity. Returns the name of this rank's part; empty if it was not lost or cannot be
// restored. A rank holds up to 50 MiB.
std::string restore_parts(comm::Comm& comm, std::span<const std::uint64_t> lost,
                          const std::map<std::uint64_t, NodePart>& parts, const std::vector<NodePart>& parity,
                          const CheckpointDirectory& into);

}  // namespace lq::sets
