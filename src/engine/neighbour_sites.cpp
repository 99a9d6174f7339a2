// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/neighbour_sites.hpp"

#include <system_error>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/clock.hpp"
#include "engine/block.hpp"
#include "engine/local_sites.hpp"

namespace lq::engine {

void NeighbourSites::fetch(Peers& peers, int holder, const engine::Chunk& chunk, std::uint64_t first, std::uint64_t end,
                           std::byte* buffer, TransferStats& stats) {
  // In batches, for short rows make very many pieces.
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
    throw Error(
        Code::communication,
        fmt::format("{}: cannot read the sites of rank {} out of its memory: {}; choose another strategy, such as "
                    "\"shared\"",
                    path_, holder, std::generic_category().message(reason)),
        {.path = path_});
  }
}

const SitePacker& NeighbourSites::packer_for(Precision precision, const TransferStats& stats) {
  std::optional<SitePacker>& packer = packers_[precision == Precision::single ? 0 : 1];
  if (!packer) packer.emplace(payload_, precision, stats.sums);
  return *packer;
}

}  // namespace lq::engine
