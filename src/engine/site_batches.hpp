// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's rows collected into batches of the file, and the order in which they are moved.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/memory.hpp>

#include "lattice/rows.hpp"
#include "lattice/tiles.hpp"

namespace lq::engine {

// Sites skip .. skip + sites - 1 of a row.
struct Piece {
  lattice::Row row;
  std::uint64_t skip = 0;
  std::uint64_t sites = 0;

  std::uint64_t file_site() const noexcept { return row.file_site + skip; }
  std::uint64_t site_rank() const noexcept { return row.site_rank + skip * row.rank_stride; }
  // Number in local memory of the piece's first site.
  std::int64_t memory_site() const noexcept {
    return static_cast<std::int64_t>(row.memory_site) + static_cast<std::int64_t>(skip) * row.memory_stride;
  }
};

// Consecutive sites of the file.
struct Run {
  std::uint64_t file_site = 0;
  std::uint64_t sites = 0;
  std::uint64_t site_rank = 0;  // rank of the first site, for sums
  std::uint64_t rank_stride = 1;

  explicit Run(const Piece& piece)
      : file_site(piece.file_site()),
        sites(piece.sites),
        site_rank(piece.site_rank()),
        rank_stride(piece.row.rank_stride) {}
  Run(std::uint64_t site, std::uint64_t count, std::uint64_t rank, std::uint64_t stride)
      : file_site(site), sites(count), site_rank(rank), rank_stride(stride) {}
  // `count` sites of it, after the first `skip`.
  Run part(std::uint64_t skip, std::uint64_t count) const noexcept {
    return {file_site + skip, count, site_rank + skip * rank_stride, rank_stride};
  }
  // The rest of it after `skip` sites.
  Run behind(std::uint64_t skip) const noexcept {
    return {file_site + skip, sites - skip, site_rank + skip * rank_stride, rank_stride};
  }
};

inline constexpr std::size_t most_pieces = 4096;  // bounds the memory of a batch of very small sites

struct SiteBatch {
  std::uint64_t file_site = 0;
  std::uint64_t sites = 0;
  std::vector<Piece> pieces;
};

inline constexpr std::size_t max_sequences = 8;  // storage prefetches at this many places of a file

inline std::uint64_t sites_of(std::span<const SiteBatch> batches) noexcept {
  std::uint64_t sites = 0;
  for (const SiteBatch& batch : batches) sites += batch.sites;
  return sites;
}

// Pieces of equal length that are moved together: a single one, or one of each sequence.
struct PieceGroup {
  std::array<const Piece*, max_sequences> pieces{};
  std::size_t count = 1;
  std::uint64_t apart = 0;  // sites between the starts of consecutive pieces in the block

  PieceGroup(const Piece& piece) : pieces{&piece} {}
  // Piece number `number` of each batch.
  PieceGroup(std::span<const SiteBatch> batches, std::size_t number) : count(batches.size()) {
    for (std::size_t i = 0; i < count; ++i) pieces[i] = &batches[i].pieces[number];
    apart = batches.front().sites;
  }
  const Piece& operator[](std::size_t i) const noexcept { return *pieces[i]; }
  std::uint64_t sites() const noexcept { return pieces.front()->sites; }
};

// True if their pieces have equal lengths.
bool are_alike(std::span<const SiteBatch> batches) noexcept;

// Calls work(pieces, sites before them in a block) for all pieces of batches that are contiguous there; with
// `at_once`, for batches that are alike, with pieces of all of them.
template <class Work>
void for_each_piece_group(std::span<const SiteBatch> batches, bool at_once, const Work& work) {
  std::uint64_t skip = 0;
  if (at_once && are_alike(batches)) {
    for (std::size_t k = 0; k < batches.front().pieces.size(); ++k) {
      const PieceGroup pieces(batches, k);
      work(pieces, skip);
      skip += pieces.sites();
    }
    return;
  }
  for (const SiteBatch& batch : batches) {
    for (const Piece& piece : batch.pieces) {
      work(PieceGroup(piece), skip);
      skip += piece.sites;
    }
  }
}

// `rows`: the rows as one sequence, or as up to `max_sequences` that are advanced together: a batch of each.
class SiteBatches {
 public:
  // With `tile_sites`, no batch crosses a multiple of that number of sites. With `blocks`, there is one sequence of
  // all their rows, and the rows of a block come before those of the next.
  SiteBatches(std::vector<lattice::Rows> rows, std::uint64_t max_sites, std::uint64_t tile_sites = 0,
              std::optional<lattice::Blocks> blocks = {});
  bool next(SiteBatch& batch);  // false after the last one
  // Fills the front of `room`.
  std::span<const SiteBatch> next(std::span<SiteBatch> room);
  // Number of consecutive batches that one thread should move.
  std::size_t sequences() const noexcept { return parts_.size(); }

 private:
  struct Part {
    lattice::Rows rows;
    Piece rest = {};  // rest of the current row; sites 0: none
  };

  bool refill(Part& part);
  bool next_of(Part& part, SiteBatch& batch);
  std::uint64_t most_from(std::uint64_t site) const noexcept;

  std::vector<Part> parts_;
  std::size_t turn_ = 0;
  std::uint64_t max_sites_, tile_sites_;
  std::optional<lattice::Blocks> blocks_;
  std::uint64_t block_ = 0;  // the next one
};

// Splits a rank's sites into sequences. They are advanced together if possible, because their memory shares cache
// lines; or processed one after the other, because their tiles share blocks.

// The rows of a plan; or the rows of each lane of vectors, whose sites are far apart in the file, if these are long
// there: `max_sites` is the capacity of a block.
std::vector<lattice::Rows> rows_by_lane(const MemoryLayout& memory, const Payload& payload,
                                        const lattice::RowPlan& plan, std::uint64_t max_sites);

// The blocks of the lattice in which sites should be processed: for encoded tiles, if the tiles of a layer (in which
// rows begin and end) exceed the cache of decoded or filled tiles.
std::optional<lattice::Blocks> block_order(const Payload& payload, const Box& wanted);
// True if memory does not permit a block for each of the given number of threads.
bool are_large_blocks(const Payload& payload, int threads) noexcept;

}  // namespace lq::engine
