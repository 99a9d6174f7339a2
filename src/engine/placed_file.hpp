// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sequence of a payload's sites as a file, wherever its tiles lie: in one array or in several, in one file or in
// several, as they are or encoded. Movements see bytes contiguous and need not know. Not for several threads
// at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "engine/tile_files.hpp"
#include "format/tile_codec.hpp"
#include "lattice/tile_map.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

// One array of a payload as a sequence of bytes, although its sites lie in tiles.
class TiledArray {
 public:
  // Its tiles are those from number `first_tile` on. All of it outlives the object.
  TiledArray(const lattice::TileMap& map, TileFiles& tiles, std::uint64_t first_tile, std::uint64_t site_bytes)
      : map_(map), tiles_(tiles), first_tile_(first_tile), site_bytes_(site_bytes) {}

  void read(std::uint64_t offset, base::MutableBytes buffer);
  // Who writes the last byte of a site writes the padding after it, as zeros.
  void write(std::uint64_t offset, base::Bytes bytes);

 private:
  // Bytes that are contiguous in a tile.
  struct Span {
    std::size_t tile = 0;
    std::uint64_t within = 0;
    std::size_t bytes = 0;
    std::uint64_t padding = 0;  // after them
  };
  Span span_at(std::uint64_t offset, std::size_t most) const noexcept;

  const lattice::TileMap& map_;
  TileFiles& tiles_;
  std::uint64_t first_tile_, site_bytes_;
};

class PlacedFile final : public storage::File {
 public:
  // `files`: by Tile::file; nullptr for those that this rank has no part in. `codec`: of the payload's encoding,
  // nullptr where there is none. All of it outlives the object.
  PlacedFile(std::string path, const Payload& payload, const format::TileCodec* codec,
             std::vector<storage::File*> files);

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return sequence_bytes_; }
  // truncated: a tile reaches beyond the end of its file.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  // Encoded tiles come from front to back, each by one rank.
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  storage::Identity identity() const override;
  void sync() override;
  void close() override;
  // A sequence has no size of its own to be set.
  void resize(std::uint64_t) override {}
  void reserve(std::uint64_t, std::uint64_t) override {}

  // Whether several threads may use it at once, at different bytes.
  bool is_thread_safe() const noexcept { return arrays_.size() == 1 && tiles_->are_thread_safe(); }
  // Collective. What was written is in the files: encoded tiles, too. Returns where all tiles lie.
  std::vector<Tile> settle(comm::Comm& comm) { return tiles_->settle(comm); }

 private:
  // Calls work(array, offset in it, scratch memory, for_each_run) for each array's part of this many bytes of the
  // sequence; for_each_run(copy) calls copy(place among these bytes, place in the scratch memory, bytes).
  template <class Work>
  void for_each_array(std::uint64_t offset, std::size_t bytes, const Work& work);
  std::uint64_t in_array(std::uint64_t array, std::uint64_t offset) const noexcept;

  std::string path_;
  std::vector<storage::File*> files_;
  std::uint64_t site_bytes_, array_site_bytes_, sequence_bytes_;
  lattice::TileMap map_;
  std::unique_ptr<TileFiles> tiles_;
  std::vector<TiledArray> arrays_;
  std::vector<std::byte> scratch_;  // where there are several arrays
};

}  // namespace lq::engine
