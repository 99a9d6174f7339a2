// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tiles as bytes of files: plain or encoded.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "format/tile_codec.hpp"
#include "lattice/tile_map.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

// The bytes of tiles in their files, plain or encoded. A tile without bytes was never written; its sites are zeros.
class TileFiles {
 public:
  virtual ~TileFiles() = default;
  // Fills the buffer, from byte `within` of a tile on. truncated: the file ends before.
  virtual void read(std::size_t tile, std::uint64_t within, base::MutableBytes buffer) = 0;
  virtual void write(std::size_t tile, std::uint64_t within, base::Bytes bytes) = 0;
  // True if several threads may use them concurrently, at different bytes.
  virtual bool are_thread_safe() const noexcept = 0;
  // Collective. Completes writing; returns the places of all tiles.
  virtual std::vector<Tile> settle(comm::Comm& comm) = 0;
};

// Facts about the tiles of a payload, which outlives the object.
struct PlacedTiles {
  std::string path;  // for errors
  const std::vector<Tile>& tiles;
  std::vector<storage::File*> files;  // by Tile::file; nullptr for files that this rank does not use

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

// Decoded tiles are cached up to this many bytes, or one of each array if these are larger.
inline constexpr std::uint64_t decoded_bytes_kept = 12 * 1024 * 1024;
// Maximum bytes of encoded tiles that wait in memory.
inline constexpr std::uint64_t encoded_bytes_kept = 2 * 1024 * 1024;

class EncodedTiles final : public TileFiles {
 public:
  // Tiles of `map`, array after array, with sites of `site_bytes` bytes. All arguments outlive the object.
  EncodedTiles(PlacedTiles placed, const format::TileCodec& codec, const lattice::TileMap& map,
               std::uint64_t site_bytes)
      : placed_(std::move(placed)),
        codec_(codec),
        map_(map),
        site_bytes_(site_bytes),
        kept_at_most_(std::max(decoded_bytes_kept, arrays() * bytes_of(0))) {}

  void read(std::size_t tile, std::uint64_t within, base::MutableBytes buffer) override;
  // Each tile is written by one rank, in pieces that do not overlap. Encoded when complete.
  void write(std::size_t tile, std::uint64_t within, base::Bytes bytes) override;
  bool are_thread_safe() const noexcept override { return true; }
  // Places the tiles contiguously, in each file from the planned start of its first tile.
  std::vector<Tile> settle(comm::Comm& comm) override;

 private:
  struct Decoded {
    std::size_t tile = 0;
    std::uint64_t size = 0;
    std::shared_ptr<std::byte[]> bytes;  // shared, because a reader may outlast its place in the cache
  };
  struct Open {
    std::vector<std::byte> bytes;
    std::uint64_t filled = 0;
  };
  struct Encoded {
    std::size_t tile = 0;
    std::uint64_t size = 0;
    std::vector<std::byte> bytes;  // empty: it waits in the file
  };

  std::uint64_t arrays() const noexcept { return placed_.tiles.size() / std::max<std::uint64_t>(map_.tiles(), 1); }
  std::uint64_t bytes_of(std::size_t tile) const;
  std::shared_ptr<std::byte[]> decoded(std::size_t tile);
  std::shared_ptr<std::byte[]> kept(std::size_t tile);
  void make_room(std::uint64_t bytes);
  void keep(Decoded decoded);
  void require_in_file(std::size_t tile) const;
  void decode(std::size_t tile, base::MutableBytes to) const;
  void require_moderate(std::size_t tile, std::uint64_t size) const;
  std::byte* place_in(std::size_t tile);
  void encode(std::size_t tile, base::Bytes bytes);
  // Size and place of the slot in which an encoded tile waits in its file, after the places of all tiles.
  std::uint64_t waiting_room() const;
  std::uint64_t waiting_place(std::size_t tile) const;
  void put(const Encoded& one, const Tile& place) const;
  [[noreturn]] void throw_shared(std::size_t tile) const;

  PlacedTiles placed_;
  const format::TileCodec& codec_;
  const lattice::TileMap& map_;
  std::uint64_t site_bytes_;
  std::mutex mutex_;                    // guards all following members
  std::condition_variable is_decoded_;  // one of in_hand_ was decoded, or failed
  std::vector<std::size_t> in_hand_;    // tiles that threads are decoding
  std::list<Decoded> kept_;             // most recently used first
  std::unordered_map<std::size_t, std::list<Decoded>::iterator> kept_by_tile_;
  std::uint64_t kept_bytes_ = 0, kept_at_most_;
  std::map<std::size_t, Open> open_;  // tiles that are being filled
  std::vector<Encoded> encoded_;
  std::uint64_t encoded_bytes_ = 0;  // in memory
  std::uint64_t waiting_begin_ = 0;  // 0: nothing waits in the file
};

}  // namespace lq::engine
