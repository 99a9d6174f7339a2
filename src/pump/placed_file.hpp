// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sequence of a payload's sites as a file, wherever its tiles lie: in one file or in several, as they are or
// encoded. Movements see bytes one behind the other and need not know. Tiles whose size is known only when they are
// encoded wait in memory until all of them are, for then only is it known where each begins.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

#include "comm/comm.hpp"
#include "format/tile_codec.hpp"
#include "transport/transport.hpp"

namespace lq::pump {

class PlacedFile final : public transport::File {
 public:
  // `files`: by Tile::file; nullptr for those that this rank has no part in. `codec`: of the payload's encoding,
  // nullptr where there is none. All of it outlives the object.
  PlacedFile(std::string path, const Payload& payload, const format::TileCodec* codec,
             std::vector<transport::File*> files);

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return sequence_bytes_; }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  // Encoded tiles come from front to back, each by one rank.
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  transport::Identity identity() const override { return files_.at(0)->identity(); }
  void sync() override;
  void close() override;
  // A sequence has no size of its own to be set.
  void resize(std::uint64_t) override {}
  void reserve(std::uint64_t, std::uint64_t) override {}

  // Collective. Places all encoded tiles one behind the other, in each file from where its first tile was planned, and
  // writes those of this rank. Returns where all tiles lie; the planned places where nothing is encoded.
  std::vector<Tile> settle(comm::Comm& comm);

 private:
  struct Encoded {
    std::size_t tile = 0;
    std::vector<std::byte> bytes;
  };

  std::uint64_t tile_begin(std::size_t tile) const noexcept { return tile * tile_bytes_; }
  std::uint64_t bytes_of(std::size_t tile) const noexcept {
    return std::min(tile_bytes_, sequence_bytes_ - tile_begin(tile));
  }
  void fill(std::size_t tile, std::uint64_t within, base::Bytes bytes);
  base::Bytes decoded(std::size_t tile);
  [[noreturn]] void throw_shared(std::size_t tile) const;

  std::string path_;
  const Payload& payload_;
  const format::TileCodec* codec_;
  std::vector<transport::File*> files_;
  std::uint64_t tile_bytes_, sequence_bytes_;
  std::vector<std::byte> open_;  // the tile that is being filled, or that was decoded last
  std::size_t open_tile_ = 0;
  std::uint64_t filled_ = 0;
  bool has_decoded_ = false;
  std::vector<Encoded> encoded_;
};

}  // namespace lq::pump
