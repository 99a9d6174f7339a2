// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an exchange knows of other ranks: how to reach them, and their rows.
#pragma once

#include <memory>
#include <optional>

#include "engine/exchange.hpp"

namespace lq::engine {

class Peers {
 public:
  Peers(const engine::Shares& shares, const Paths& paths);

  // Slots of ranks within reach: of this rank always, of its node's with shared memory.
  std::optional<Slots> slots_of(int rank) const;
  Slots own_slots() const { return *slots_of(paths_.comm.rank()); }
  // Of the first rank within reach.
  Slots first_slots() const {
    return *slots_of(paths_.node != nullptr ? paths_.node->ranks().front() : paths_.comm.rank());
  }
  // A rank of this node whose memory is to be read rather than waited for; this rank, too.
  const Neighbour* neighbour(int rank) const;
  // The rows of any rank, until the next call; with a neighbour, memory sites count in its memory.
  lattice::Rows& rows_of(int rank);
  std::uint64_t slot_bytes() const noexcept { return slot_bytes_; }

 private:
  const engine::Shares& shares_;
  const Paths& paths_;
  std::uint64_t slot_bytes_;
  lattice::Rows rows_;  // of the rank asked for last
  int rows_rank_ = -1;
  SiteOrder file_order_;
};

// Bytes of a slot.
std::uint64_t slot_bytes_of(const engine::Shares& shares);

}  // namespace lq::engine
