// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites exchanged between ranks, so that each moves large contiguous chunks of the file. A rank has two roles: owner of
// chunks, which it writes or reads, and holder of sites, which it packs into the chunks of their owners or takes out of
// them. Both process the chunks in ascending order. The lowest incomplete chunk can always proceed, because the ranks
// it waits for have no lower one to wait for; so there is no deadlock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <limequat/field.hpp>

#include "base/function_ref.hpp"
#include "comm/comm.hpp"
#include "comm/node.hpp"
#include "engine/local_sites.hpp"
#include "engine/shares.hpp"
#include "engine/stepwise_transfer.hpp"
#include "engine/transfer_stats.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

// The chunks that a rank has open for others: buffers in memory that the ranks of a node share. Two numbers for each
// suffice to synchronise the ranks.

// How chunks are exchanged: the owner opens a slot for a chunk. Every rank involved in the chunk does its part and
// increments `done`. When all have done so, the owner closes the slot.
struct alignas(64) SlotControl {
  std::atomic<std::uint64_t> open{0};  // number of the chunk, plus 1; 0: closed
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> is_bad{0};  // the owner could not read it
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share these numbers");

// Uninitialised memory for sites in transit.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::uint64_t bytes)
      : bytes_(bytes), start_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes))) {}
  std::byte* data() noexcept { return start_.get(); }
  std::span<std::byte> first(std::uint64_t bytes) noexcept { return {start_.get(), static_cast<std::size_t>(bytes)}; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
  std::unique_ptr<std::byte[]> start_;
};

// A view of one rank's slots.
class Slots {
 public:
  static constexpr std::uint64_t count = 2;

  // Memory for the slots of a rank; `slot_bytes` each.
  static std::uint64_t bytes(std::uint64_t slot_bytes) noexcept { return control_bytes + count * rounded(slot_bytes); }

  Slots(std::byte* area, std::uint64_t slot_bytes) noexcept : area_(area), slot_bytes_(rounded(slot_bytes)) {}

  SlotControl& control(std::uint64_t i) const noexcept { return reinterpret_cast<SlotControl*>(area_)[i]; }
  // In memory of the first rank of a node: nonzero once a rank of that node no longer takes part. That rank increments
  // no `done`, so the others would wait for it indefinitely.
  std::atomic<std::uint64_t>& given_up() const noexcept {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(area_ + count * sizeof(SlotControl));
  }
  std::byte* buffer(std::uint64_t i) const noexcept { return area_ + control_bytes + i * slot_bytes_; }
  // Closes all slots and clears given_up; called by the owner before other ranks look.
  void reset() const noexcept;
  // The slot that is open for a chunk; `count` if none is.
  std::uint64_t find(std::uint64_t chunk) const noexcept;

 private:
  static constexpr std::uint64_t page = 4096;
  static constexpr std::uint64_t control_bytes = page;
  static std::uint64_t rounded(std::uint64_t bytes) noexcept { return (bytes + page - 1) / page * page; }

  std::byte* area_;
  std::uint64_t slot_bytes_;
};

// A rank of this node whose memory can be read.
struct Neighbour {
  std::int64_t process = 0;
  std::uint64_t address = 0;  // of its first local site
  Precision precision = Precision::double_;
  SiteOrder order;
};

// How the ranks reach each other: identical on all of them, except for members that belong to this rank.
struct Paths {
  explicit Paths(comm::Comm& all) : comm(all) {}
  bool need_messages() const noexcept { return node == nullptr || !node->is_only(); }

  comm::Comm& comm;
  std::optional<comm::Channel> channel = {};      // if messages are used
  comm::Node* node = nullptr;                     // ranks that share memory; nullptr: everything uses messages
  std::unique_ptr<comm::Node::Lease> lease = {};  // with a node
  std::vector<std::byte> own = {};                // slots if there is no node
  std::vector<Neighbour> neighbours = {};         // by index in the node; empty: not readable
};

// Collective. The paths of a transfer; `strategy` is shared, pull or messages. With pull, neighbours read `field`.
// Falls back to messages without shared memory. `shares` returns the shares of the transfer, and may compute them: it
// runs inside an agreement.
std::unique_ptr<Paths> open_paths(comm::Comm& comm, base::FunctionRef<const engine::Shares&()> shares,
                                  Strategy strategy, const Field& field);
// Local. Called before the first step of any rank, with an agreement in between: no rank sees slots of another
// transfer.
void close_own_slots(Paths& paths, const engine::Shares& shares);

// `paths` of the same shares; file and stats outlive the transfer. `mine`: rows of this rank. Owners have a `file`.
// With several `threads` one serves the storage, and the others share the sites of each chunk.
std::unique_ptr<StepwiseTransfer> exchange_out(const Field& field, const lattice::RowPlan& mine,
                                               std::shared_ptr<const engine::Shares> shares,
                                               std::unique_ptr<Paths> paths, storage::File* file, int threads,
                                               TransferStats& stats);
std::unique_ptr<StepwiseTransfer> exchange_in(const MutableField& field, const lattice::RowPlan& mine,
                                              std::shared_ptr<const engine::Shares> shares,
                                              std::unique_ptr<Paths> paths, base::ByteSource* file, int threads,
                                              TransferStats& stats);

}  // namespace lq::engine
