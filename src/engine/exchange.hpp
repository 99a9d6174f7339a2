// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites exchanged between ranks, so that each moves large contiguous chunks of the file. A rank has two roles: owner
// of chunks, which it writes or reads, and holder of sites, which it packs into the chunks of their owners or takes out
// of them. Both go through the chunks in ascending order. The lowest chunk that is not complete can always go on,
// because whoever it waits for has nothing lower to wait for; so nobody waits indefinitely.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <limequat/field.hpp>

#include "base/function_ref.hpp"
#include "comm/comm.hpp"
#include "comm/node.hpp"
#include "engine/local_sites.hpp"
#include "engine/movement.hpp"
#include "engine/shares.hpp"
#include "engine/slots.hpp"
#include "engine/transfer_stats.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

// A rank of this node whose memory can be read.
struct Neighbour {
  std::int64_t process = 0;
  std::uint64_t address = 0;  // of its first local site
  Precision precision = Precision::double_;
  SiteOrder order;
};

// How the ranks reach each other: the same on all of them, except for what is their own.
struct Paths {
  explicit Paths(comm::Comm& all) : comm(all) {}
  bool need_messages() const noexcept { return node == nullptr || !node->is_only(); }

  comm::Comm& comm;
  std::optional<comm::Channel> channel = {};      // where there are messages
  comm::Node* node = nullptr;                     // of ranks that share memory; nullptr: everything goes by messages
  std::unique_ptr<comm::Node::Lease> lease = {};  // with a node
  std::vector<std::byte> own = {};                // slots without a node
  std::vector<Neighbour> neighbours = {};         // by index in the node; empty: not to be read
};

// Collective. The paths of a transfer; `strategy` is shared, pull or messages. `field` is read by neighbours with pull.
// Falls back to messages where there is no shared memory. `shares` returns those of the transfer, which it may make: it
// runs inside an agreement.
std::unique_ptr<Paths> open_paths(comm::Comm& comm, base::FunctionRef<const engine::Shares&()> shares,
                                  Strategy strategy, const Field& field);
// Local. Before the first step of any rank, which an agreement separates from this: nobody looks at slots of another
// transfer.
void close_own_slots(Paths& paths, const engine::Shares& shares);

// `paths` of the same shares; file and stats outlive the movement. `mine`: rows of this rank. `file` is there on
// owners. With several `threads` one is with the storage, and the others share the sites of each chunk.
std::unique_ptr<Movement> exchange_out(const Field& field, const lattice::RowPlan& mine,
                                       std::shared_ptr<const engine::Shares> shares, std::unique_ptr<Paths> paths,
                                       storage::File* file, int threads, TransferStats& stats);
std::unique_ptr<Movement> exchange_in(const MutableField& field, const lattice::RowPlan& mine,
                                      std::shared_ptr<const engine::Shares> shares, std::unique_ptr<Paths> paths,
                                      base::ByteSource* file, int threads, TransferStats& stats);

}  // namespace lq::engine
