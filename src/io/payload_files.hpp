// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files that contain the sites of a payload, open for reading, with their sites as one sequence of bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "engine/direct.hpp"
#include "engine/file_order.hpp"
#include "engine/sequence.hpp"
#include "engine/site_batches.hpp"
#include "format/tile_codec.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tiles.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// The physical files of a scanned file.
std::vector<std::string> files_of(const Catalog& catalog);

// The codec of the payload's encoding; nullptr: not encoded, or its format does not know the encoding.
const format::TileCodec* tile_codec_of(const std::string& format, const Payload& payload);

class PayloadFiles {
 public:
  // Local. Opens the files that contain a part of the payload; it and the codec must outlive the object.
  PayloadFiles(storage::Transport& transport, const std::vector<std::string>& paths, const Payload& payload,
               const format::TileCodec* codec);
  PayloadFiles(storage::Transport& transport, const Catalog& catalog, const Payload& payload)
      : PayloadFiles(transport, files_of(catalog), payload, tile_codec_of(catalog.format, payload)) {}

  std::vector<storage::File*> all() const;
  // The sequence that Payload::origin() refers to.
  storage::File& sequence() const noexcept { return *sequence_->file(); }
  // True if several threads may use it concurrently, at different bytes, with an advantage.
  bool are_thread_safe() const noexcept;

 private:
  std::vector<std::unique_ptr<storage::File>> files_;
  std::optional<engine::Sequence> sequence_;
};

// One rank reads a box of sites into memory, for purposes that need no grid. Local.

// The sites of `box` (inside the payload's stored box) in natural order, in `memory` of at least
// box.volume() * numbers elements of `precision`; checksums are added to `stats`.
void read_box(base::ByteSource& file, const Payload& payload, const Box& box, Precision precision, void* memory,
              engine::TransferStats& stats);
// The same for sites in the order of the file.
void read_box_as_stored(base::ByteSource& file, const Payload& payload, const Box& box, Precision precision,
                        void* memory, engine::TransferStats& stats);

// The same as doubles, without checksum.
std::vector<double> read_box(base::ByteSource& file, const Payload& payload, const Box& box);

// Tile size that bounds memory. Half of it makes rows so short, if the orders of two files differ,
// that calls and the lock of the new file cost a twentieth of a conversion.
inline constexpr std::uint64_t tile_bytes = 2 * base::mebi;

// The sites of two payloads of one lattice in boxes with long rows in both, or along the blocks of one encoded
// payload: each block is then decoded or encoded once, whereas a box across several blocks would decode all of them
// for a part of each.

class PairedBoxes {
 public:
  // A share of the boxes, each of at most `most_sites` sites; along the blocks of `blocked` unless it is nullptr.
  PairedBoxes(const Payload& one, const Payload& other, const Payload* blocked, std::uint64_t most_sites,
              const engine::PartIndex& part, int threads) {
    if (blocked != nullptr) {
      const lattice::Blocks blocks(*blocked, blocked->stored);
      blocks_.emplace(blocks, blocked->order, most_sites, lattice::share_of(blocks.count(), part.all, part.number),
                      engine::are_large_blocks(*blocked, threads));
      return;
    }
    const int dimensions = one.stored.extents.size();
    tiles_.emplace(one.stored,
                   lattice::interleaved(lattice::resolve_order(one.order, dimensions),
                                        lattice::resolve_order(other.order, dimensions)),
                   most_sites);
    share_ = lattice::share_of(tiles_->count(), part.all, part.number);
  }

  std::uint64_t items() const noexcept { return blocks_ ? blocks_->items() : share_.end - share_.begin; }

  template <class Work>
  void for_each_box(std::uint64_t item, const Work& work) const {
    if (blocks_) return blocks_->for_each_box(item, work);
    work(tiles_->tile(share_.begin + item));
  }

 private:
  std::optional<lattice::BlockParts> blocks_;
  std::optional<lattice::Tiles> tiles_;
  lattice::Share share_;  // of the tiles
};

}  // namespace lq::io
