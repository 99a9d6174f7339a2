// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of tiles in their files: as they are, or encoded. A tile without bytes was never written; its sites are
// zeros.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

class TileFiles {
 public:
  virtual ~TileFiles() = default;
  // All of the buffer, from byte `within` of a tile on. truncated: the file ends before.
  virtual void read(std::size_t tile, std::uint64_t within, base::MutableBytes buffer) = 0;
  virtual void write(std::size_t tile, std::uint64_t within, base::Bytes bytes) = 0;
  // Whether several threads may use them at once, at different bytes.
  virtual bool are_thread_safe() const noexcept = 0;
  // Collective. What was written is in the files; where all tiles lie.
  virtual std::vector<Tile> settle(comm::Comm& comm) = 0;
};

// What is known of the tiles of a payload; it outlives the object.
struct PlacedTiles {
  std::string path;  // for errors
  const std::vector<Tile>& tiles;
  std::vector<storage::File*> files;  // by Tile::file; nullptr for those that this rank has no part in

  storage::File& file_of(const Tile& tile) const { return *files[static_cast<std::size_t>(tile.file)]; }
};

class PlainTiles final : public TileFiles {
 public:
  explicit PlainTiles(PlacedTiles placed) : placed_(std::move(placed)) {}
  void read(std::size_t tile, std::uint64_t within, base::MutableBytes buffer) override;
  void write(std::size_t tile, std::uint64_t within, base::Bytes bytes) override;
  bool are_thread_safe() const noexcept override { return true; }
  std::vector<Tile> settle(comm::Comm& comm) override;

 private:
  PlacedTiles placed_;
};

}  // namespace lq::engine
