// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of both directions of an exchange: the shares of the file, paths to other ranks, and this rank's slots.
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

#include "comm/team.hpp"
#include "engine/exchange.hpp"
#include "engine/transfer_stats.hpp"
#include "lattice/tiles.hpp"

namespace lq::engine {

// Facts about other ranks in an exchange: how to reach them, and their rows.
class Peers {
 public:
  Peers(const engine::Shares& shares, const Paths& paths);

  // Slots of ranks within reach: always of this rank, and of its node if memory is shared.
  std::optional<Slots> slots_of(int rank) const;
  Slots own_slots() const { return *slots_of(paths_.comm.rank()); }
  // Slots of the first rank within reach.
  Slots first_slots() const {
    return *slots_of(paths_.node != nullptr ? paths_.node->ranks().front() : paths_.comm.rank());
  }
  // A rank of this node whose memory is read directly; may be this rank.
  const Neighbour* neighbour(int rank) const;
  // The rows of any rank, valid until the next call; for a neighbour, memory sites count in its memory.
  lattice::Rows& rows_of(int rank);
  std::uint64_t slot_bytes() const noexcept { return slot_bytes_; }

 private:
  const engine::Shares& shares_;
  const Paths& paths_;
  std::uint64_t slot_bytes_;
  lattice::Rows rows_;  // of the rank requested last
  int rows_rank_ = -1;
  SiteOrder file_order_;
};

// Bytes of a slot.
std::uint64_t slot_bytes_of(const engine::Shares& shares);

// The threads of a rank in an exchange: one for storage, which runs beside the others, and those that share the sites
// of each chunk. Everything is allocated before the first step.

// The state of one thread; `Local` is LocalSource or LocalSink.
template <class Local>
struct WorkerState {
  TransferStats& stats;
  Peers& peers;
  Local local;
};

template <class Local>
class WorkerPool {
 public:
  // `threads` in all; with several, one serves the storage. `first` is the worker of the thread that takes the steps;
  // make_local(stats) creates those of the others.
  template <class MakeLocal>
  WorkerPool(int threads, const engine::Shares& shares, const Paths& paths, WorkerState<Local> first,
             const MakeLocal& make_local)
      : first_(std::move(first)), storage_(threads > 1), team_(threads - 1) {
    for (int i = 1; i < team_.size(); ++i) {
      helpers_.push_back(std::make_unique<Helper>(first_.stats.empty(shares.transfer().payload), shares, paths));
      helpers_.back()->local.emplace(
          WorkerState<Local>{helpers_.back()->stats, helpers_.back()->peers, make_local(helpers_.back()->stats)});
    }
  }

  int size() const noexcept { return team_.size(); }
  WorkerState<Local>& first() noexcept { return first_; }
  comm::BackgroundTask& storage() noexcept { return storage_; }

  // Calls work(thread, worker, first site, end) concurrently for parts of the sites of a chunk.
  template <class Work>
  void share(const engine::Chunk& chunk, std::uint64_t site_bytes, const Work& work) {
    const std::uint64_t sites = chunk.end_site - chunk.first_site;
    const std::uint64_t parts =
        std::clamp<std::uint64_t>(sites * site_bytes / least_bytes, 1, static_cast<std::uint64_t>(team_.size()));
    if (parts == 1) return work(0, first_, chunk.first_site, chunk.end_site);
    team_.run([&](int thread) {
      const auto part = static_cast<std::uint64_t>(thread);
      if (part >= parts) return;
      const lattice::Share mine = lattice::share_of(sites, parts, part);
      work(thread, worker(thread), chunk.first_site + mine.begin, chunk.first_site + mine.end);
    });
  }

  // Merges the statistics of all workers; once, at the end.
  void merge_workers() noexcept {
    for (const auto& helper : helpers_) first_.stats.add(helper->stats);
  }

 private:
  struct Helper {
    Helper(TransferStats empty, const engine::Shares& shares, const Paths& paths)
        : stats(std::move(empty)), peers(shares, paths) {}
    TransferStats stats;
    Peers peers;
    std::optional<WorkerState<Local>> local;
  };
  // Waking a thread takes as long as packing this many bytes.
  static constexpr std::uint64_t least_bytes = 32 * 1024;

  WorkerState<Local>& worker(int thread) noexcept {
    return thread == 0 ? first_ : *helpers_[static_cast<std::size_t>(thread) - 1]->local;
  }

  WorkerState<Local> first_;
  std::vector<std::unique_ptr<Helper>> helpers_;
  comm::BackgroundTask storage_;  // these use the other members
  comm::Team team_;
};

// For a rank that fails while others depend on it: stores the failure and continues to take part, without doing work.
class Failure {
 public:
  // Runs `work` unless a failure occurred before.
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
  // No work is done from now on.
  void stop() noexcept { stopped_ = true; }
  bool is_stopped() const noexcept { return stopped_; }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
  bool stopped_ = false;
};

// All memory is allocated before the first step: a rank that runs out of memory later would leave others waiting.
class Exchange : public StepwiseTransfer {
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

  // Advances past the current chunk that this rank opens, or in which it holds sites.
  void next_owned() {
    owned_ = shares_->next_owned(rank_, owned_->number + 1);
    ++chunks_.done;
  }
  void next_held() {
    if (is_work(*held_)) ++chunks_.done;
    held_ = shares_->next_held(mine_, held_->number + 1);
  }

  // Maximum number of holders of this rank's chunks; there is capacity for them from now on.
  std::size_t most_holders() const noexcept { return most_holders_; }
  // Slots, and messages for each; `others` additional buffers of the same size if messages are used.
  std::uint64_t bytes_with(std::uint64_t others) const noexcept {
    const std::uint64_t buffers = needs_messages() ? staging_.size() + others : 0;
    return Slots::bytes(peers_.slot_bytes()) + buffers * peers_.slot_bytes();
  }
  // The place of the sites of a chunk in a slot.
  std::uint64_t place(const Piece& piece, const engine::Chunk& chunk) const noexcept {
    return (piece.file_site() - chunk.first_site) * payload_.site_bytes();
  }
  // Bytes of the sites of `rows` in a chunk.
  std::uint64_t bytes_in(lattice::Rows& rows, const engine::Chunk& chunk) const {
    return sites_between(rows, chunk.first_site, chunk.end_site) * payload_.site_bytes();
  }

  std::shared_ptr<const engine::Shares> shares_;
  std::unique_ptr<Paths> paths_;
  Peers peers_;
  Slots slots_;
  std::atomic<std::uint64_t>& given_up_;  // in memory shared by the node
  const Payload& payload_;
  int rank_;
  Box mine_;
  TransferStats& stats_;
  std::optional<engine::Chunk> owned_;          // the next one to be opened by this rank
  std::optional<engine::Chunk> held_;           // the next one with sites of this rank
  std::array<Buffer, Slots::count> staging_{};  // messages to or from the slots
  std::vector<int> holders_;
  Failure failure_;

 private:
  // Failures of sites and files are stored until the end; those of messages are not, because a rank that cannot reach
  // other nodes cannot continue. Ranks that share memory with it see that it has given up, and then give up as well.
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
  // Large files have many chunks.
  void count_chunks() noexcept {
    for (auto chunk = shares_->next_owned(rank_, 0); chunk; chunk = shares_->next_owned(rank_, chunk->number + 1)) {
      ++chunks_.of;
    }
    for (auto chunk = shares_->next_held(mine_, 0); chunk; chunk = shares_->next_held(mine_, chunk->number + 1)) {
      if (is_work(*chunk)) ++chunks_.of;
    }
  }
  // True if this rank moves its sites of a chunk itself, because no owner reads them from its memory.
  bool is_work(const engine::Chunk& held) const noexcept { return peers_.neighbour(held.owner) == nullptr; }

  Passed chunks_;  // a chunk counts twice for a rank that owns it and has sites in it
  std::size_t most_holders_ = 0;
};

}  // namespace lq::engine
