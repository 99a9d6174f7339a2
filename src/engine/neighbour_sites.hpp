// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites taken out of the memory of a rank of the same node, and packed. Of one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/neighbour_memory.hpp"
#include "engine/peers.hpp"
#include "engine/site_packer.hpp"
#include "engine/transfer_stats.hpp"

namespace lq::engine {

class NeighbourSites {
 public:
  // `path`: of the file, for errors. It outlives the object, as the payload does.
  NeighbourSites(const Payload& payload, const std::string& path) : payload_(payload), path_(path) {}

  // The sites of rank `holder` among those numbered first .. end-1 of a chunk, whose sites lie in `buffer`.
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

}  // namespace lq::engine
