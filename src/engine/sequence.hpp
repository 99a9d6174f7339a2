// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of a payload as one sequence of bytes, wherever its tiles or links are.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "comm/agree.hpp"
#include "comm/comm.hpp"
#include "engine/encoded_tiles.hpp"
#include "format/tile_codec.hpp"
#include "lattice/tile_map.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

// The sites of a payload as one file, wherever its tiles are: in one or several arrays, in one or several files, plain
// or encoded. Movements see contiguous bytes and are independent of tiles. Not thread-safe.

// One array of a payload as a sequence of bytes, although its sites are in tiles.
class TiledArray {
 public:
  // Its tiles begin with number `first_tile`. All arguments outlive the object.
  TiledArray(const lattice::TileMap& map, TileFiles& tiles, std::uint64_t first_tile, std::uint64_t site_bytes)
      : map_(map), tiles_(tiles), first_tile_(first_tile), site_bytes_(site_bytes) {}

  void read(std::uint64_t offset, base::MutableBytes buffer);
  // The rank that writes the last byte of a site also writes the padding after it, as zeros.
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
  // `files`: by Tile::file; nullptr for files that this rank does not use. `codec`: for the payload's encoding, or
  // nullptr. All arguments outlive the object.
  PlacedFile(std::string path, const Payload& payload, const format::TileCodec* codec,
             std::vector<storage::File*> files);

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return sequence_bytes_; }
  // truncated: a tile reaches beyond the end of its file.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  // Encoded tiles are written in order, each by one rank.
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  storage::Identity identity() const override;
  void sync() override;
  void close() override;
  // The size of a sequence is fixed.
  void resize(std::uint64_t) override {}
  void reserve(std::uint64_t, std::uint64_t) override {}

  // True if several threads may use it concurrently, at different bytes.
  bool is_thread_safe() const noexcept { return arrays_.size() == 1 && tiles_->are_thread_safe(); }
  // Collective. Completes writing, including encoded tiles. Returns the places of all tiles.
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
  std::vector<std::byte> scratch_;  // used with several arrays
};

// The sites of a gauge field as one sequence of bytes, for files that store odd sites only: the links of even sites are
// stored with their neighbours (Payload::at_odd_points). Blocks of two time slices and some more are cached, so that a
// sequential reader or writer transfers each block once. Only bytes that were set are written, so ranks may write in
// any order. Not thread-safe.
class OddPointFile final : public storage::File {
 public:
  // `file` must outlive the object.
  OddPointFile(const Payload& payload, storage::File& file);

  const std::string& path() const noexcept override { return file_.path(); }
  std::uint64_t size() const override { return bytes_; }
  // truncated: the file ends before its data do.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  storage::Identity identity() const override { return file_.identity(); }
  void sync() override { file_.sync(); }
  void close() override { file_.close(); }
  // The size of a sequence is fixed.
  void resize(std::uint64_t) override {}
  void reserve(std::uint64_t, std::uint64_t) override {}

  // Writes blocks that wait for their neighbours.
  void flush();

 private:
  struct Block {
    std::uint64_t number = 0;
    std::vector<std::byte> bytes;
    std::vector<bool> filled = {};  // units that were set
    std::uint64_t units = 0;        // number of units
  };
  using Blocks = std::list<Block>;

  // Calls copy(bytes of a block, place in the sequence from `offset` on) for each piece of a link.
  template <class Copy>
  void for_each_piece(std::uint64_t offset, std::uint64_t length, Copy&& copy);
  std::uint64_t block_size(std::uint64_t number) const noexcept;
  Block& kept_block(std::uint64_t number, bool reads);
  void drop_oldest();
  void write_filled(const Block& block);

  storage::File& file_;
  lattice::OddPoints points_;
  std::uint64_t begin_, bytes_, site_bytes_, unit_, block_bytes_;
  std::size_t most_blocks_;
  Blocks blocks_;  // oldest first
  std::unordered_map<std::uint64_t, Blocks::iterator> by_number_;
  std::vector<std::byte> spare_;  // memory of an evicted block, for reuse
};

class Sequence {
 public:
  // `files`: by Payload::file and Tile::file; nullptr, or missing, if this rank does not use them. All arguments
  // outlive the object.
  Sequence(const std::string& path, const Payload& payload, const format::TileCodec* codec,
           std::vector<storage::File*> files) {
    if (payload.tile_sites > 0) {
      placed_ = std::make_unique<PlacedFile>(path, payload, codec, std::move(files));
      one_piece_ = placed_.get();
    } else if (static_cast<std::size_t>(payload.file) < files.size()) {
      one_piece_ = files[static_cast<std::size_t>(payload.file)];
    }
    if (payload.at_odd_points && one_piece_ != nullptr) {
      at_odd_points_ = std::make_unique<OddPointFile>(payload, *one_piece_);
      one_piece_ = at_odd_points_.get();
    }
  }

  // The file from which Payload::origin() counts; nullptr: not open here.
  storage::File* file() const noexcept { return one_piece_; }
  // True if several threads may use it concurrently, at different bytes.
  bool is_thread_safe() const noexcept { return !at_odd_points_ && (!placed_ || placed_->is_thread_safe()); }
  // The same on all ranks: true if settle() is required.
  static bool needs_settling(const Payload& payload) noexcept {
    return payload.tile_sites > 0 || payload.at_odd_points;
  }
  // Collective. Completes writing; returns the places of all tiles.
  std::vector<Tile> settle(comm::Comm& comm) {
    comm::agree(comm, [&] {
      if (at_odd_points_) at_odd_points_->flush();
    });
    if (placed_) return placed_->settle(comm);
    return {};
  }

 private:
  std::unique_ptr<PlacedFile> placed_;
  std::unique_ptr<OddPointFile> at_odd_points_;
  storage::File* one_piece_ = nullptr;
};

}  // namespace lq::engine
