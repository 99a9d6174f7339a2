// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What both directions of an exchange have: the shares of the file, the ways to other ranks, and this rank's slots.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <limequat/error.hpp>

#include "engine/exchange.hpp"
#include "engine/peers.hpp"

namespace lq::engine {

// A rank that fails while others count on it: it keeps its failure, goes on taking part, and does no work any more.
class Failure {
 public:
  // Runs `work` unless something failed before.
  template <class Work>
  void guard(Work&& work) {
    if (stopped_) return;
    try {
      work();
    } catch (...) {
      first_ = std::current_exception();
      stopped_ = true;
    }
  }
  // From now on no work is done.
  void stop() noexcept { stopped_ = true; }
  bool is_stopped() const noexcept { return stopped_; }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
  bool stopped_ = false;
};

// All memory is had before the first step: a rank that runs out of it while others wait for it would leave them
// waiting.
class Exchange : public Movement {
 public:
  bool needs_messages() const noexcept final { return paths_->need_messages(); }

 protected:
  Exchange(const lattice::RowPlan& mine, std::shared_ptr<const engine::Shares> shares, std::unique_ptr<Paths> paths,
           TransferStats& stats)
      : shares_(std::move(shares)),
        paths_(std::move(paths)),
        peers_(*shares_, *paths_),
        slots_(peers_.own_slots()),
        given_up_(peers_.first_slots().given_up()),
        payload_(shares_->transfer().payload),
        rank_(paths_->comm.rank()),
        mine_(mine.wanted),
        stats_(stats),
        owned_(shares_->next_owned(rank_, 0)),
        held_(shares_->next_held(mine_, 0)) {
    find_most_holders();
    if (!needs_messages()) return;
    for (Buffer& staging : staging_) staging = Buffer(peers_.slot_bytes());
  }

  virtual Progress advance() = 0;

  // The next chunk that is mine to open, or that has sites of mine, is done with.
  void next_owned() {
    owned_ = shares_->next_owned(rank_, owned_->number + 1);
    ++chunks_.done;
  }
  void next_held() {
    if (is_work(*held_)) ++chunks_.done;
    held_ = shares_->next_held(mine_, held_->number + 1);
  }

  // Of chunks of mine; there is room for them from now on.
  std::size_t most_holders() const noexcept { return most_holders_; }
  // Slots, and the messages of each; `others` more buffers of the same size where messages are needed.
  std::uint64_t bytes_with(std::uint64_t others) const noexcept {
    const std::uint64_t buffers = needs_messages() ? staging_.size() + others : 0;
    return Slots::bytes(peers_.slot_bytes()) + buffers * peers_.slot_bytes();
  }
  // Where the sites of a chunk lie in a slot.
  std::uint64_t place(const Piece& piece, const engine::Chunk& chunk) const noexcept {
    return (piece.file_site() - chunk.first_site) * payload_.site_bytes();
  }
  // Of the sites of `rows` in a chunk.
  std::uint64_t bytes_in(lattice::Rows& rows, const engine::Chunk& chunk) const {
    return sites_between(rows, chunk.first_site, chunk.end_site) * payload_.site_bytes();
  }

  std::shared_ptr<const engine::Shares> shares_;
  std::unique_ptr<Paths> paths_;
  Peers peers_;
  Slots slots_;
  std::atomic<std::uint64_t>& given_up_;  // in memory of the node
  const Payload& payload_;
  int rank_;
  Box mine_;
  TransferStats& stats_;
  std::optional<engine::Chunk> owned_;          // the next that is mine to open
  std::optional<engine::Chunk> held_;           // the next with sites of mine
  std::array<Buffer, Slots::count> staging_{};  // of messages to or from the slots
  std::vector<int> holders_;
  Failure failure_;

 private:
  // Failures of sites and files are kept back; one of a message is not, for who cannot reach other nodes cannot go on.
  // Those who share memory with this rank see that it has given up, and give up, too.
  Progress take_step() final {
    Progress progress = Progress::finished;
    try {
      progress = advance();
      if (progress == Progress::waiting) require_all_take_part();
    } catch (...) {
      given_up_.store(1, std::memory_order_relaxed);
      throw;
    }
    if (progress == Progress::finished) failure_.rethrow();
    return progress;
  }
  Passed passed() noexcept final {
    if (chunks_.of == 0) count_chunks();
    return chunks_;
  }

  void require_all_take_part() const {
    if (given_up_.load(std::memory_order_relaxed) == 0) return;
    throw Error(Code::communication, "a rank of the same node can no longer exchange messages, and has aborted");
  }

  void find_most_holders() {
    for (auto chunk = owned_; chunk; chunk = shares_->next_owned(rank_, chunk->number + 1)) {
      shares_->holders(*chunk, holders_);
      most_holders_ = std::max(most_holders_, holders_.size());
    }
  }
  // Of large files there are many.
  void count_chunks() noexcept {
    for (auto chunk = shares_->next_owned(rank_, 0); chunk; chunk = shares_->next_owned(rank_, chunk->number + 1)) {
      ++chunks_.of;
    }
    for (auto chunk = shares_->next_held(mine_, 0); chunk; chunk = shares_->next_held(mine_, chunk->number + 1)) {
      if (is_work(*chunk)) ++chunks_.of;
    }
  }
  // Whether this rank moves its sites of a chunk itself: no owner takes them out of its memory.
  bool is_work(const engine::Chunk& held) const noexcept { return peers_.neighbour(held.owner) == nullptr; }

  Passed chunks_;  // a chunk counts twice for whom it belongs to and who has sites in it
  std::size_t most_holders_ = 0;
};

}  // namespace lq::engine
