// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading with exchange. Owners prefetch chunks into their slots. A rank that reaches a slot takes its sites from it
// and checksums and reorders them in transit; the owner sends the other ranks theirs.
#include <algorithm>
#include <array>
#include <vector>

#include "base/clock.hpp"
#include "engine/exchange_base.hpp"
#include "engine/stepwise_transfer.hpp"
#include "lattice/layout_rows.hpp"

namespace lq::engine {
namespace {

class ExchangeIn final : public Exchange {
 public:
  ExchangeIn(const MutableField& field, const lattice::RowPlan& mine, std::shared_ptr<const engine::Shares> shares,
             std::unique_ptr<Paths> paths, base::ByteSource* file, int threads, TransferStats& stats)
      : Exchange(mine, std::move(shares), std::move(paths), stats),
        file_(file),
        pool_(lattice::has_function(field) ? std::min(threads, 2) : threads, *shares_, *paths_,
              WorkerState{stats, peers_, LocalSink(field, payload_, mine, stats)},
              [&](TransferStats& own) { return LocalSink(field, payload_, mine, own); }) {
    wanted_.reserve(max_wanted);
    spare_.reserve(max_wanted);
    if (!needs_messages()) return;
    for (Open& slot : open_) slot.flights.reserve(most_holders());
    for (std::size_t i = 0; i < max_wanted; ++i) spare_.emplace_back(peers_.slot_bytes());
  }

  std::uint64_t memory_bytes() const noexcept override { return bytes_with(max_wanted); }

 private:
  using WorkerState = engine::WorkerState<LocalSink>;

  Progress advance() override {
    if (is_cancelled()) failure_.stop();
    look_ahead();
    if (take()) return Progress::moved;
    bool moved = close_slots();
    moved = open_slot() || moved;
    if (moved) return Progress::moved;
    if (held_ || owned_ || !wanted_.empty() || std::ranges::any_of(open_, &Open::is_open)) return Progress::waiting;
    pool_.merge_workers();
    return Progress::finished;
  }

  // A slot of this rank that is open, as this rank sees it.
  struct Open {
    bool is_open = false;
    std::uint64_t direct_ranks = 0;  // ranks that take their sites from the slot directly
    std::vector<comm::Flight> flights;
  };
  // A chunk with sites of this rank, and the message that brings them, if any.
  struct Wanted {
    engine::Chunk chunk;
    Buffer buffer;
    comm::Flight flight;
  };
  static constexpr std::size_t max_wanted = 4;

  // Finds the next chunks with sites of this rank and posts their receives early.
  void look_ahead() {
    while (held_ && wanted_.size() < max_wanted) {
      Wanted& wanted = wanted_.emplace_back();
      wanted.chunk = *held_;
      next_held();
      if (peers_.slots_of(wanted.chunk.owner)) continue;
      wanted.buffer = std::move(spare_.back());
      spare_.pop_back();
      wanted.flight =
          paths_->comm.start_receive(wanted.buffer.first(bytes_in(pool_.first().local.rows(), wanted.chunk)),
                                     wanted.chunk.owner, paths_->channel->number());
    }
  }

  // Takes the sites of this rank from the first chunk that is ready.
  bool take() {
    for (auto wanted = wanted_.begin(); wanted != wanted_.end(); ++wanted) {
      if (wanted->flight ? take_from_message(*wanted) : take_from_slot(wanted->chunk)) {
        if (wanted->flight) spare_.push_back(std::move(wanted->buffer));
        wanted_.erase(wanted);
        return true;
      }
    }
    return false;
  }

  bool take_from_message(Wanted& wanted) {
    if (!wanted.flight.is_done()) return false;
    const engine::Chunk& chunk = wanted.chunk;
    unpack(chunk, [&](WorkerState& worker, std::uint64_t first) {
      const std::uint64_t before = sites_between(worker.local.rows(), chunk.first_site, first);
      const std::byte* from = wanted.buffer.data() + before * payload_.site_bytes();
      return [this, from](const Piece& piece) mutable {
        const std::byte* const sites = from;
        from += piece.sites * payload_.site_bytes();
        return sites;
      };
    });
    return true;
  }

  bool take_from_slot(const engine::Chunk& chunk) {
    const Slots theirs = *peers_.slots_of(chunk.owner);
    const std::uint64_t i = theirs.find(chunk.number);
    if (i == Slots::count) return false;
    if (theirs.control(i).is_bad.load(std::memory_order_relaxed) == 0) {
      unpack(chunk, [&](WorkerState&, std::uint64_t) {
        return [&](const Piece& piece) { return theirs.buffer(i) + place(piece, chunk); };
      });
    }
    theirs.control(i).done.fetch_add(1, std::memory_order_release);
    return true;
  }

  // places_from(worker, first site) returns a function that gives the file form of each piece from this site on.
  template <class PlacesFrom>
  void unpack(const engine::Chunk& chunk, const PlacesFrom& places_from) {
    failure_.guard([&] {
      pool_.share(chunk, payload_.site_bytes(), [&](int, WorkerState& worker, std::uint64_t first, std::uint64_t end) {
        const base::ScopedSeconds seconds(worker.stats.pack_seconds);
        auto place_of = places_from(worker, first);
        for_each_piece(worker.local.rows(), first, end, [&](const Piece& piece) {
          const std::byte* const sites = place_of(piece);
          const auto bytes = static_cast<std::size_t>(piece.sites * payload_.site_bytes());
          watch(payload_, {sites, bytes}, piece.file_site(), worker.stats);
          worker.local.unpack(piece, sites, worker.stats.sums);
          worker.stats.bytes += bytes;
        });
        worker.local.finish(worker.stats.sums);
      });
    });
  }

  // Closes slots from which every rank has taken its sites.
  bool close_slots() {
    bool moved = false;
    for (std::uint64_t i = 0; i < Slots::count; ++i) {
      Open& slot = open_[i];
      if (!slot.is_open || (read_ && slot_read_ == i)) continue;
      std::erase_if(slot.flights, [](comm::Flight& flight) { return flight.is_done(); });
      if (!slot.flights.empty() || slots_.control(i).done.load(std::memory_order_acquire) != slot.direct_ranks)
        continue;
      slots_.control(i).open.store(0, std::memory_order_relaxed);
      slot.is_open = false;
      moved = true;
    }
    return moved;
  }

  // Reads the next chunk of this rank into a closed slot, one at a time.
  bool open_slot() {
    if (read_) return finish_reading();
    if (!owned_) return false;
    const auto closed = std::ranges::find_if_not(open_, &Open::is_open);
    if (closed == open_.end()) return false;
    const auto i = static_cast<std::uint64_t>(closed - open_.begin());
    read_ = *owned_;
    slot_read_ = i;
    closed->is_open = true;
    next_owned();
    failure_.guard([&] { pool_.storage().begin([this] { read(); }); });
    return finish_reading() || pool_.storage().has_thread();
  }

  // Runs on the storage thread, if there is one.
  void read() {
    const base::ScopedSeconds seconds(stats_.storage_seconds);
    read_whole(*file_, read_->first_byte,
               {slots_.buffer(slot_read_), static_cast<std::size_t>(read_->end_byte - read_->first_byte)});
  }

  bool finish_reading() {
    if (!pool_.storage().is_idle()) return false;
    failure_.guard([&] { pool_.storage().finish(); });
    hand_out(slot_read_, *read_);
    read_.reset();
    return true;
  }

  void hand_out(std::uint64_t i, const engine::Chunk& chunk) {
    Open& slot = open_[i];
    slot.direct_ranks = 0;
    shares_->holders(chunk, holders_);
    for (const int holder : holders_) {
      if (peers_.slots_of(holder)) ++slot.direct_ranks;
    }
    slots_.control(i).done.store(0, std::memory_order_relaxed);
    slots_.control(i).is_bad.store(failure_.is_stopped() ? 1 : 0, std::memory_order_relaxed);
    slots_.control(i).open.store(chunk.number + 1, std::memory_order_release);
    std::byte* to = staging_[i].data();
    for (const int holder : holders_) {
      if (!peers_.slots_of(holder)) to = send(i, chunk, holder, to);
    }
  }

  // Copies the sites of a rank out of reach, piece by piece, to `to`; returns the end.
  std::byte* send(std::uint64_t i, const engine::Chunk& chunk, int holder, std::byte* to) {
    const base::ScopedSeconds seconds(stats_.exchange_seconds);
    std::byte* const begin = to;
    for_each_piece(peers_.rows_of(holder), chunk.first_site, chunk.end_site, [&](const Piece& piece) {
      const auto bytes = static_cast<std::size_t>(piece.sites * payload_.site_bytes());
      to = std::copy_n(slots_.buffer(i) + place(piece, chunk), bytes, to);
    });
    open_[i].flights.push_back(
        paths_->comm.start_send({begin, static_cast<std::size_t>(to - begin)}, holder, paths_->channel->number()));
    return to;
  }

  base::ByteSource* file_;
  std::vector<Wanted> wanted_;  // ascending
  std::vector<Buffer> spare_;   // for messages
  std::array<Open, Slots::count> open_;
  std::optional<engine::Chunk> read_;  // being read by the storage thread
  std::uint64_t slot_read_ = 0;        // its slot
  WorkerPool<LocalSink> pool_;         // its threads use the other members
};

}  // namespace

std::unique_ptr<StepwiseTransfer> exchange_in(const MutableField& field, const lattice::RowPlan& mine,
                                              std::shared_ptr<const engine::Shares> shares,
                                              std::unique_ptr<Paths> paths, base::ByteSource* file, int threads,
                                              TransferStats& stats) {
  return std::make_unique<ExchangeIn>(field, mine, std::move(shares), std::move(paths), file, threads, stats);
}

}  // namespace lq::engine
