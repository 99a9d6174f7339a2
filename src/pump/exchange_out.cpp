// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writing with exchange. Holders put their sites into the slots of owners that they reach, packed on the way; to others
// they send them. An owner that may read its neighbours' memory fetches their sites by itself, and nobody waits.
#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/clock.hpp"
#include "comm/neighbour_memory.hpp"
#include "pump/exchange_base.hpp"

namespace lq::pump {
namespace {

// Sites on their way to an owner out of reach.
struct Parcel {
  Buffer buffer;
  comm::Flight flight;
  bool is_flying() const noexcept { return static_cast<bool>(flight); }
};

class ExchangeOut final : public Exchange {
 public:
  ExchangeOut(const Field& field, const lattice::RowPlan& mine, std::shared_ptr<const route::Shares> shares,
              std::unique_ptr<Paths> paths, transport::File* file, Tally& tally)
      : Exchange(mine, std::move(shares), std::move(paths), tally),
        source_(field, payload_, mine, tally.sums),
        file_(file) {
    if (!needs_messages()) return;
    for (Open& slot : open_) slot.arrivals.reserve(most_holders());
    for (Parcel& parcel : parcels_) parcel.buffer = Buffer(peers_.slot_bytes());
  }

  std::uint64_t memory_bytes() const noexcept override { return bytes_with(parcels_.size()) + scratch_.size(); }

 private:
  Progress advance() override {
    if (is_cancelled()) failure_.stop();
    if (write_complete()) return Progress::moved;
    bool moved = open_slots();
    moved = receive() || moved;
    moved = contribute() || moved;
    moved = collect() || moved;
    if (moved) return Progress::moved;
    if (held_ || owned_ || std::ranges::any_of(parcels_, &Parcel::is_flying) ||
        std::ranges::any_of(open_, &Open::is_open)) {
      return Progress::waiting;
    }
    return Progress::finished;
  }

  // A slot of mine that is open, as I see it.
  struct Open {
    bool is_open = false;
    route::Chunk chunk;
    std::uint64_t by_hand = 0;  // ranks that put their sites into the slot themselves
    std::uint64_t awaited = 0;  // parcels not yet here
    struct Arrival {
      int rank = 0;
      std::size_t begin = 0, bytes = 0;  // in `staging`
      comm::Flight flight;
    };
    std::vector<Arrival> arrivals;
  };

  // Opens closed slots, until one of them is complete at once and wants to be written while it is in cache.
  bool open_slots() {
    bool moved = false;
    for (std::uint64_t i = 0; i < Slots::count && owned_; ++i) {
      if (open_[i].is_open) continue;
      open(i);
      moved = true;
      if (is_complete(i)) break;
    }
    return moved;
  }

  void open(std::uint64_t i) {
    Open& slot = open_[i];
    slot.chunk = *owned_;
    slot.is_open = true;
    slot.by_hand = 0;
    owned_ = shares_->next_owned(rank_, slot.chunk.number + 1);
    shares_->holders(slot.chunk, holders_);
    std::size_t staged = 0;
    slot.arrivals.clear();
    for (const int holder : holders_) {
      if (peers_.neighbour(holder) != nullptr) {
        fetch(holder, slot.chunk, slots_.buffer(i));
      } else if (peers_.slots_of(holder)) {
        ++slot.by_hand;
      } else {
        const auto bytes = static_cast<std::size_t>(bytes_in(peers_.rows_of(holder), slot.chunk));
        slot.arrivals.push_back({holder, staged, bytes, {}});
        staged += bytes;
      }
    }
    for (Open::Arrival& arrival : slot.arrivals) {
      const base::MutableBytes bytes{staging_[i].data() + arrival.begin, arrival.bytes};
      arrival.flight = paths_->comm.start_receive(bytes, arrival.rank, paths_->channel->number());
    }
    slot.awaited = slot.arrivals.size();
    slots_.control(i).done.store(0, std::memory_order_relaxed);
    slots_.control(i).open.store(slot.chunk.number + 1, std::memory_order_release);
  }

  bool is_complete(std::uint64_t i) const {
    const Open& slot = open_[i];
    return slot.is_open && slot.awaited == 0 && slots_.control(i).done.load(std::memory_order_acquire) == slot.by_hand;
  }

  bool write_complete() {
    for (std::uint64_t i = 0; i < Slots::count; ++i) {
      if (!is_complete(i)) continue;
      Open& slot = open_[i];
      slots_.control(i).open.store(0, std::memory_order_relaxed);
      slot.is_open = false;
      failure_.guard([&] {
        const base::ScopedSeconds seconds(tally_.storage_seconds);
        const route::Chunk& chunk = slot.chunk;
        const std::uint64_t begin = payload_.origin() + chunk.first_site * payload_.site_bytes();
        const auto bytes = static_cast<std::size_t>(chunk.end_byte - chunk.first_byte);
        file_->write_at(chunk.first_byte, {slots_.buffer(i) + (chunk.first_byte - begin), bytes});
        tally_.bytes += bytes;
      });
      return true;
    }
    return false;
  }

  // Takes parcels that have arrived to their places.
  bool receive() {
    bool moved = false;
    for (std::uint64_t i = 0; i < Slots::count; ++i) {
      Open& slot = open_[i];
      if (!slot.is_open || slot.awaited == 0) continue;
      for (Open::Arrival& arrival : slot.arrivals) {
        if (!arrival.flight || !arrival.flight.is_done()) continue;
        const base::ScopedSeconds seconds(tally_.exchange_seconds);
        const std::byte* from = staging_[i].data() + arrival.begin;
        for_each_piece(peers_.rows_of(arrival.rank), slot.chunk.first_site, slot.chunk.end_site,
                       [&](const Piece& piece) {
                         const auto bytes = static_cast<std::size_t>(piece.sites * payload_.site_bytes());
                         std::copy_n(from, bytes, slots_.buffer(i) + place(piece, slot.chunk));
                         from += bytes;
                       });
        arrival.flight.reset();
        --slot.awaited;
        moved = true;
      }
    }
    return moved;
  }

  // My sites into the next chunk that needs them, if its owner is ready.
  bool contribute() {
    while (held_ && peers_.neighbour(held_->owner) != nullptr) next_held();  // he fetches them
    if (!held_) return false;
    const std::optional<Slots> theirs = peers_.slots_of(held_->owner);
    if (!theirs) return send();
    const std::uint64_t i = theirs->find(held_->number);
    if (i == Slots::count) return false;
    failure_.guard([&] {
      const base::ScopedSeconds seconds(tally_.pack_seconds);
      for_each_piece(source_.rows(), held_->first_site, held_->end_site, [&](const Piece& piece) {
        source_.pack(piece, theirs->buffer(i) + place(piece, *held_), tally_.sums, held_->first_counted);
      });
    });
    theirs->control(i).done.fetch_add(1, std::memory_order_release);
    next_held();
    return true;
  }

  bool send() {
    const auto free = std::ranges::find_if_not(parcels_, &Parcel::is_flying);
    if (free == parcels_.end()) return false;
    const std::uint64_t site_bytes = payload_.site_bytes();
    Parcel& parcel = *free;
    failure_.guard([&] {
      const base::ScopedSeconds seconds(tally_.pack_seconds);
      std::byte* to = parcel.buffer.data();
      for_each_piece(source_.rows(), held_->first_site, held_->end_site, [&](const Piece& piece) {
        source_.pack(piece, to, tally_.sums, held_->first_counted);
        to += piece.sites * site_bytes;
      });
    });
    parcel.flight = paths_->comm.start_send(parcel.buffer.first(bytes_in(source_.rows(), *held_)), held_->owner,
                                            paths_->channel->number());
    next_held();
    return true;
  }

  // Parcels that have left.
  bool collect() {
    bool any = false;
    for (Parcel& parcel : parcels_) {
      if (!parcel.flight || !parcel.flight.is_done()) continue;
      parcel.flight.reset();
      any = true;
    }
    return any;
  }

  void next_held() { held_ = shares_->next_held(mine_, held_->number + 1); }

  // The sites of a neighbour, or mine, into a chunk of mine.
  void fetch(int holder, const route::Chunk& chunk, std::byte* buffer) {
    failure_.guard([&] {
      if (holder == rank_) {
        const base::ScopedSeconds seconds(tally_.pack_seconds);
        for_each_piece(source_.rows(), chunk.first_site, chunk.end_site, [&](const Piece& piece) {
          source_.pack(piece, buffer + place(piece, chunk), tally_.sums, chunk.first_counted);
        });
        return;
      }
      // In batches, for short rows make very many pieces.
      constexpr std::size_t batch = 1024;
      pieces_.clear();
      for_each_piece(peers_.rows_of(holder), chunk.first_site, chunk.end_site, [&](const Piece& piece) {
        pieces_.push_back(piece);
        if (pieces_.size() == batch) take_pieces(holder, chunk, buffer);
      });
      take_pieces(holder, chunk, buffer);
    });
  }

  // Packs the sites of pieces_ out of a neighbour's memory.
  void take_pieces(int holder, const route::Chunk& chunk, std::byte* buffer) {
    const Neighbour& near = *peers_.neighbour(holder);
    const SitePacker& packer = packer_for(near.precision);
    pull_pieces(holder, near, static_cast<std::uint64_t>(packer.memory_bytes()));
    const base::ScopedSeconds seconds(tally_.pack_seconds);
    const std::byte* from = scratch_.data();
    for (const Piece& piece : pieces_) {
      packer.pack(from, packer.memory_bytes(), Run(piece), buffer + place(piece, chunk), tally_.sums,
                  chunk.first_counted);
      from += piece.sites * static_cast<std::uint64_t>(packer.memory_bytes());
    }
    pieces_.clear();
  }

  // Fills scratch_ with the sites of pieces_, one behind the other.
  void pull_pieces(int holder, const Neighbour& near, std::uint64_t memory_bytes) {
    const base::ScopedSeconds seconds(tally_.exchange_seconds);
    remote_.clear();
    std::uint64_t bytes = 0;
    for (const Piece& piece : pieces_) {
      const std::uint64_t address = near.address + static_cast<std::uint64_t>(piece.memory_site()) * memory_bytes;
      const std::uint64_t length = piece.sites * memory_bytes;
      if (!remote_.empty() && remote_.back().address + remote_.back().bytes == address) {
        remote_.back().bytes += length;
      } else {
        remote_.push_back({address, length});
      }
      bytes += length;
    }
    if (scratch_.size() < bytes) scratch_.resize(static_cast<std::size_t>(bytes));
    if (const int reason = comm::pull(near.process, remote_, scratch_.data()); reason != 0) {
      throw Error(
          Code::communication,
          fmt::format("{}: cannot read the sites of rank {} out of its memory: {}; choose another strategy, such as "
                      "\"shared\"",
                      file_->path(), holder, std::generic_category().message(reason)),
          {.path = file_->path()});
    }
  }

  const SitePacker& packer_for(Precision precision) {
    std::optional<SitePacker>& packer = packers_[precision == Precision::single ? 0 : 1];
    if (!packer) packer.emplace(payload_, precision, tally_.sums);
    return *packer;
  }

  LocalSource source_;
  transport::File* file_;
  std::array<Open, Slots::count> open_;
  std::array<Parcel, 4> parcels_;

  std::array<std::optional<SitePacker>, 2> packers_;  // for neighbours, by precision
  std::vector<Piece> pieces_;
  std::vector<comm::NeighbourPiece> remote_;
  std::vector<std::byte> scratch_;
};

}  // namespace

std::unique_ptr<Movement> exchange_out(const Field& field, const lattice::RowPlan& mine,
                                       std::shared_ptr<const route::Shares> shares, std::unique_ptr<Paths> paths,
                                       transport::File* file, Tally& tally) {
  return std::make_unique<ExchangeOut>(field, mine, std::move(shares), std::move(paths), file, tally);
}

}  // namespace lq::pump
