// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writing with exchange. Holders pack their sites directly into the slots of owners within reach, and send them to
// other owners. An owner that may read its neighbours' memory fetches their sites itself, and no rank waits.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "comm/node.hpp"
#include "engine/exchange_base.hpp"
#include "engine/local_sites.hpp"
#include "engine/site_packer.hpp"
#include "engine/stepwise_transfer.hpp"
#include "engine/transfer_stats.hpp"
#include "lattice/layout_rows.hpp"

namespace lq::engine {

// Sites read from the memory of a rank of the same node, and packed. For one thread.
class NeighbourSites {
 public:
  // `path`: path of the file, for errors. It and the payload outlive the object.
  NeighbourSites(const Payload& payload, const std::string& path) : payload_(payload), path_(path) {}

  // The sites of rank `holder` among those numbered first .. end-1 of a chunk whose sites are stored in `buffer`.
  void fetch(Peers& peers, int holder, const engine::Chunk& chunk, std::uint64_t first, std::uint64_t end,
             std::byte* buffer, TransferStats& stats);
  std::uint64_t memory_bytes() const noexcept { return scratch_.size(); }

 private:
  void take_pieces(const Neighbour& near, int holder, const engine::Chunk& chunk, std::byte* buffer,
                   TransferStats& stats);
  void pull_pieces(const Neighbour& near, int holder, std::uint64_t memory_bytes, TransferStats& stats);
  const SitePacker& packer_for(Precision precision, const TransferStats& stats);

  const Payload& payload_;
  const std::string& path_;
  std::array<std::optional<SitePacker>, 2> packers_;  // by precision
  std::vector<Piece> pieces_;
  std::vector<comm::NeighbourPiece> remote_;
  std::vector<std::byte> scratch_;
};

void NeighbourSites::fetch(Peers& peers, int holder, const engine::Chunk& chunk, std::uint64_t first, std::uint64_t end,
                           std::byte* buffer, TransferStats& stats) {
  // In batches, because short rows give very many pieces.
  constexpr std::size_t batch = 1024;
  const Neighbour& near = *peers.neighbour(holder);
  pieces_.clear();
  for_each_piece(peers.rows_of(holder), first, end, [&](const Piece& piece) {
    pieces_.push_back(piece);
    if (pieces_.size() == batch) take_pieces(near, holder, chunk, buffer, stats);
  });
  take_pieces(near, holder, chunk, buffer, stats);
}

void NeighbourSites::take_pieces(const Neighbour& near, int holder, const engine::Chunk& chunk, std::byte* buffer,
                                 TransferStats& stats) {
  const SitePacker& packer = packer_for(near.precision, stats);
  const auto memory_bytes = static_cast<std::uint64_t>(packer.memory_bytes());
  pull_pieces(near, holder, memory_bytes, stats);
  const base::ScopedSeconds seconds(stats.pack_seconds);
  const std::byte* from = scratch_.data();
  for (const Piece& piece : pieces_) {
    std::byte* const to = buffer + (piece.file_site() - chunk.first_site) * payload_.site_bytes();
    packer.pack(from, packer.memory_bytes(), Run(piece), to, stats.sums, chunk.first_counted);
    watch_written(payload_, to, piece, chunk.first_counted, stats);
    from += piece.sites * memory_bytes;
  }
  pieces_.clear();
}

// Fills scratch_ with the sites of pieces_, contiguous.
void NeighbourSites::pull_pieces(const Neighbour& near, int holder, std::uint64_t memory_bytes, TransferStats& stats) {
  const base::ScopedSeconds seconds(stats.exchange_seconds);
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
    base::fail(Code::communication, {.path = path_},
               "cannot read the sites of rank {} out of its memory: {}; choose another strategy, such as \"shared\"",
               holder, std::generic_category().message(reason));
  }
}

const SitePacker& NeighbourSites::packer_for(Precision precision, const TransferStats& stats) {
  std::optional<SitePacker>& packer = packers_[precision == Precision::single ? 0 : 1];
  if (!packer) packer.emplace(payload_, precision, stats.sums);
  return *packer;
}

namespace {

// Sites in transit to an owner out of reach.
struct OutgoingMessage {
  Buffer buffer;
  comm::Flight flight;
  bool is_flying() const noexcept { return static_cast<bool>(flight); }
};

class ExchangeOut final : public Exchange {
 public:
  ExchangeOut(const Field& field, const lattice::RowPlan& mine, std::shared_ptr<const engine::Shares> shares,
              std::unique_ptr<Paths> paths, storage::File* file, int threads, TransferStats& stats)
      : Exchange(mine, std::move(shares), std::move(paths), stats),
        file_(file),
        pool_(lattice::has_function(field) ? std::min(threads, 2) : threads, *shares_, *paths_,
              WorkerState{stats, peers_, LocalSource(field, payload_, mine, stats)},
              [&](TransferStats& own) { return LocalSource(field, payload_, mine, own); }) {
    if (file_ != nullptr && !paths_->neighbours.empty()) {
      for (int i = 0; i < pool_.size(); ++i) neighbours_.emplace_back(payload_, file_->path());
    }
    if (!needs_messages()) return;
    for (Open& slot : open_) slot.arrivals.reserve(most_holders());
    for (OutgoingMessage& message : outgoing_) message.buffer = Buffer(peers_.slot_bytes());
  }

  std::uint64_t memory_bytes() const noexcept override {
    std::uint64_t bytes = bytes_with(outgoing_.size());
    for (const NeighbourSites& neighbour : neighbours_) bytes += neighbour.memory_bytes();
    return bytes;
  }

 private:
  using WorkerState = engine::WorkerState<LocalSource>;

  Progress advance() override {
    if (is_cancelled()) failure_.stop();
    if (write_complete()) return Progress::moved;
    bool moved = open_slots();
    moved = receive() || moved;
    moved = contribute() || moved;
    moved = collect() || moved;
    if (moved) return Progress::moved;
    if (held_ || owned_ || std::ranges::any_of(outgoing_, &OutgoingMessage::is_flying) ||
        std::ranges::any_of(open_, &Open::is_open)) {
      return Progress::waiting;
    }
    pool_.merge_workers();
    return Progress::finished;
  }

  // A slot of this rank that is open, as this rank sees it.
  struct Open {
    bool is_open = false;
    engine::Chunk chunk;
    std::uint64_t direct_ranks = 0;  // ranks that put their sites into the slot directly
    std::uint64_t awaited = 0;       // messages that have not arrived
    struct Arrival {
      int rank = 0;
      std::size_t begin = 0, bytes = 0;  // in `staging`
      comm::Flight flight;
    };
    std::vector<Arrival> arrivals;
  };

  // Opens closed slots, until one is complete immediately and should be written while it is in cache.
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
    slot.direct_ranks = 0;
    next_owned();
    shares_->holders(slot.chunk, holders_);
    std::size_t staged = 0;
    slot.arrivals.clear();
    for (const int holder : holders_) {
      if (peers_.neighbour(holder) != nullptr) {
        fetch(holder, slot.chunk, slots_.buffer(i));
      } else if (peers_.slots_of(holder)) {
        ++slot.direct_ranks;
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
    return slot.is_open && slot.awaited == 0 &&
           slots_.control(i).done.load(std::memory_order_acquire) == slot.direct_ranks;
  }

  // Writes one complete slot at a time.
  bool write_complete() {
    if (written_) return finish_writing();
    for (std::uint64_t i = 0; i < Slots::count; ++i) {
      if (!is_complete(i)) continue;
      slots_.control(i).open.store(0, std::memory_order_relaxed);
      written_ = i;
      failure_.guard([&] { pool_.storage().begin([this, i] { write(i); }); });
      return finish_writing() || pool_.storage().has_thread();
    }
    return false;
  }

  // Runs on the storage thread, if there is one.
  void write(std::uint64_t i) {
    const base::ScopedSeconds seconds(stats_.storage_seconds);
    const engine::Chunk& chunk = open_[i].chunk;
    const std::uint64_t begin = payload_.origin() + chunk.first_site * payload_.site_bytes();
    const auto bytes = static_cast<std::size_t>(chunk.end_byte - chunk.first_byte);
    file_->write_at(chunk.first_byte, {slots_.buffer(i) + (chunk.first_byte - begin), bytes});
    stats_.bytes += bytes;
  }

  bool finish_writing() {
    if (!pool_.storage().is_idle()) return false;
    failure_.guard([&] { pool_.storage().finish(); });
    open_[*written_].is_open = false;
    written_.reset();
    return true;
  }

  // Copies the contents of received messages to their places.
  bool receive() {
    bool moved = false;
    for (std::uint64_t i = 0; i < Slots::count; ++i) {
      Open& slot = open_[i];
      if (!slot.is_open || slot.awaited == 0) continue;
      for (Open::Arrival& arrival : slot.arrivals) {
        if (!arrival.flight || !arrival.flight.is_done()) continue;
        const base::ScopedSeconds seconds(stats_.exchange_seconds);
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

  // Puts the sites of this rank into the next chunk that needs them, if its owner is ready.
  bool contribute() {
    while (held_ && peers_.neighbour(held_->owner) != nullptr) next_held();  // its owner pulls these from our memory
    if (!held_) return false;
    const std::optional<Slots> theirs = peers_.slots_of(held_->owner);
    if (!theirs) return send();
    const std::uint64_t i = theirs->find(held_->number);
    if (i == Slots::count) return false;
    pack(*held_, theirs->buffer(i));
    theirs->control(i).done.fetch_add(1, std::memory_order_release);
    next_held();
    return true;
  }

  bool send() {
    const auto free = std::ranges::find_if_not(outgoing_, &OutgoingMessage::is_flying);
    if (free == outgoing_.end()) return false;
    const std::uint64_t site_bytes = payload_.site_bytes();
    OutgoingMessage& message = *free;
    failure_.guard([&] {
      pool_.share(*held_, site_bytes, [&](int, WorkerState& worker, std::uint64_t first, std::uint64_t end) {
        const base::ScopedSeconds seconds(worker.stats.pack_seconds);
        std::byte* to =
            message.buffer.data() + sites_between(worker.local.rows(), held_->first_site, first) * site_bytes;
        for_each_piece(worker.local.rows(), first, end, [&](const Piece& piece) {
          worker.local.pack(piece, to, worker.stats, held_->first_counted);
          to += piece.sites * site_bytes;
        });
      });
    });
    const std::uint64_t bytes = bytes_in(pool_.first().local.rows(), *held_);
    message.flight = paths_->comm.start_send(message.buffer.first(bytes), held_->owner, paths_->channel->number());
    next_held();
    return true;
  }

  // Releases messages that were sent.
  bool collect() {
    bool any = false;
    for (OutgoingMessage& message : outgoing_) {
      if (!message.flight || !message.flight.is_done()) continue;
      message.flight.reset();
      any = true;
    }
    return any;
  }

  // Copies the sites of a neighbour, or of this rank, into a chunk of this rank.
  void fetch(int holder, const engine::Chunk& chunk, std::byte* buffer) {
    if (holder == rank_) return pack(chunk, buffer);
    failure_.guard([&] {
      pool_.share(chunk, payload_.site_bytes(),
                  [&](int thread, WorkerState& worker, std::uint64_t first, std::uint64_t end) {
                    neighbours_[static_cast<std::size_t>(thread)].fetch(worker.peers, holder, chunk, first, end, buffer,
                                                                        worker.stats);
                  });
    });
  }

  // Packs the sites of this rank into their places in a buffer of a chunk.
  void pack(const engine::Chunk& chunk, std::byte* buffer) {
    failure_.guard([&] {
      pool_.share(chunk, payload_.site_bytes(), [&](int, WorkerState& worker, std::uint64_t first, std::uint64_t end) {
        const base::ScopedSeconds seconds(worker.stats.pack_seconds);
        for_each_piece(worker.local.rows(), first, end, [&](const Piece& piece) {
          worker.local.pack(piece, buffer + place(piece, chunk), worker.stats, chunk.first_counted);
        });
      });
    });
  }

  storage::File* file_;
  std::array<Open, Slots::count> open_;
  std::array<OutgoingMessage, 4> outgoing_;
  std::optional<std::uint64_t> written_;    // number of the slot being written by the storage thread
  std::vector<NeighbourSites> neighbours_;  // by thread, if their memory is read
  WorkerPool<LocalSource> pool_;            // its threads use the other members
};

}  // namespace

std::unique_ptr<StepwiseTransfer> exchange_out(const Field& field, const lattice::RowPlan& mine,
                                               std::shared_ptr<const engine::Shares> shares,
                                               std::unique_ptr<Paths> paths, storage::File* file, int threads,
                                               TransferStats& stats) {
  return std::make_unique<ExchangeOut>(field, mine, std::move(shares), std::move(paths), file, threads, stats);
}

}  // namespace lq::engine
