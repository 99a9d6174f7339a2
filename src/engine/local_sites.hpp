// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of this rank, in the user's memory (host or GPU) or behind a function, converted to and from file form.
// Sites that are not in plain memory pass through a buffer of a few sites.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>

#include "device/file_blocks.hpp"
#include "device/sites.hpp"
#include "engine/site_batches.hpp"
#include "engine/site_packer.hpp"
#include "engine/site_sums.hpp"
#include "engine/transfer_stats.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/row_walk.hpp"
#include "lattice/rows.hpp"

namespace lq::engine {

// The sites of this rank in memory of a GPU that does the computation: reordering, precision, byte order and the CRC-32
// of sites. The host copies bytes of the file and combines the sums.

enum class Way { out, in };

// The positions of the sites of pieces: addresses of plain memory, or for described memory numbers of sites in the
// order of the file.
class ComputedMemory {
 public:
  // Empty if the host has to compute: the memory is not on a GPU, there is no compiler, or the kernels do not support
  // the form of the sites. For GPU memory `stats` receives who computes, and if it is the host, the reason.
  template <class AnyField>
  static std::unique_ptr<ComputedMemory> find(const AnyField& field, const Payload& payload,
                                              const lattice::RowPlan& plan, TransferStats& stats, Way way);

  device::FileBlocks& blocks() noexcept { return *blocks_; }
  std::int64_t position(const lattice::Rows& rows, const Piece& piece) const;
  std::int64_t stride(const Piece& piece) const noexcept;  // positions from one site to the next
  device::Windows windows() const;
  // Sites in memory, in the form that blocks take; valid until the next call.
  device::MemorySites sites(std::int64_t position, std::int64_t stride, std::uint64_t count);
  // True if sites() accepts places (in numbers) of sites that are not evenly spaced; false for described memory.
  bool takes_places() const noexcept { return !described_; }
  device::MemorySites sites(std::span<const std::int64_t> places) const noexcept;
  std::int64_t place(std::int64_t position) const noexcept { return position / number_bytes_; }

 private:
  struct Described {
    lattice::RowPlaces places;
    lattice::RowWalk walk;
  };

  Box wanted_;
  SiteOrder file_order_;
  std::byte* memory_ = nullptr;
  std::uint64_t memory_sites_ = 0;
  std::int64_t site_bytes_ = 0, number_bytes_ = 0;  // in memory
  std::optional<Described> described_;
  std::unique_ptr<device::FileBlocks> blocks_;
};

class ComputedSource {
 public:
  explicit ComputedSource(std::unique_ptr<ComputedMemory> memory);
  // As in LocalSource.
  void pack(const lattice::Rows& rows, const Piece& piece, std::byte* file, SiteSums& sums, std::uint64_t counted_from);

 private:
  std::unique_ptr<ComputedMemory> memory_;
  device::Windows windows_;
};

// Pieces are collected in a block until it is full.
class ComputedSink {
 public:
  explicit ComputedSink(std::unique_ptr<ComputedMemory> memory);
  // As in LocalSink.
  void unpack(const lattice::Rows& rows, const Piece& piece, const std::byte* file, SiteSums& sums);
  void finish(SiteSums& sums);

 private:
  // Sites of a block: contiguous in the file, and evenly spaced in memory.
  struct Part {
    Run run;
    std::int64_t position, stride;
  };
  struct Filling {
    std::vector<Part> parts;
    std::uint64_t sites = 0;
  };

  void add(Part part, const std::byte* file, SiteSums& sums);
  void send(SiteSums& sums);
  void settle(std::size_t i, SiteSums& sums);

  std::unique_ptr<ComputedMemory> memory_;
  std::array<Filling, device::FileBlocks::blocks> filling_;
  std::vector<std::int64_t> places_;
  std::size_t turn_ = 0;
};

class LocalSource {
 public:
  // `stats` names the requested sums, and receives who computes for memory of a GPU.
  LocalSource(const Field& field, const Payload& payload, const lattice::RowPlan& plan, TransferStats& stats);

  lattice::Rows& rows() noexcept { return rows_; }
  const SitePacker& packer() const noexcept { return packer_; }
  // Maximum number of pieces per call.
  std::uint64_t most_at_once() const noexcept { return walk_ ? walk_->most() : 1; }
  // Packs pieces; sites before `counted_from` are not counted: neither summed nor inspected.
  void pack(const PieceGroup& pieces, std::byte* file, TransferStats& stats, std::uint64_t counted_from = 0);

 private:
  void pack_sites(const PieceGroup& pieces, std::byte* file, SiteSums& sums, std::uint64_t counted_from);
  void pack_from_device(const Piece& piece, std::byte* file, SiteSums& sums, std::uint64_t counted_from);
  void pack_in_one_pass(const PieceGroup& pieces, std::byte* file, SiteSums& sums, std::uint64_t counted_from);
  void pack_staged(const PieceGroup& pieces, std::byte* file, SiteSums& sums, std::uint64_t counted_from);

  Field field_;
  const Payload& payload_;
  lattice::Rows rows_;
  SitePacker packer_;
  std::optional<ComputedSource> computed_;       // only if a GPU computes
  std::unique_ptr<device::SitesOut> device_;     // only for memory of a GPU that does not compute
  std::unique_ptr<lattice::RowsOut> elsewhere_;  // only if the memory is not plain
  bool in_one_pass_ = false;                     // between such memory and the file
  std::vector<std::byte> staged_;                // otherwise
  std::optional<lattice::RowWalk> walk_;
};

class LocalSink {
 public:
  // `stats` names the requested sums, and receives who computes for memory of a GPU.
  LocalSink(const MutableField& field, const Payload& payload, const lattice::RowPlan& plan, TransferStats& stats);

  lattice::Rows& rows() noexcept { return rows_; }
  const SitePacker& packer() const noexcept { return packer_; }
  std::uint64_t most_at_once() const noexcept { return walk_ ? walk_->most() : 1; }
  void unpack(const PieceGroup& pieces, const std::byte* file, SiteSums& sums);
  // For memory that is not plain: sites in its own form.
  void give(const Piece& piece, const std::byte* sites);
  // Waits until everything unpacked is in its place, and counted.
  void finish(SiteSums& sums);
  // Local memory of a piece whose sites differ from the file only in byte order; nullptr for other pieces.
  std::byte* in_place(const Piece& piece) const noexcept;

 private:
  void unpack_to_device(const Piece& piece, const std::byte* file, SiteSums& sums);
  void unpack_in_one_pass(const PieceGroup& pieces, const std::byte* file, SiteSums& sums);
  void unpack_staged(const PieceGroup& pieces, const std::byte* file, SiteSums& sums);

  MutableField field_;
  lattice::Rows rows_;
  SitePacker packer_;
  std::optional<ComputedSink> computed_;        // only if a GPU computes
  std::unique_ptr<device::SitesIn> device_;     // only for memory of a GPU that does not compute
  std::unique_ptr<lattice::RowsIn> elsewhere_;  // only if the memory is not plain
  bool in_one_pass_ = false;                    // between such memory and the file
  std::vector<std::byte> staged_;               // otherwise
  std::optional<lattice::RowWalk> walk_;
};

// The pieces of `rows` among the sites number first .. end-1 of the file.
template <class Work>
void for_each_piece(lattice::Rows& rows, std::uint64_t first, std::uint64_t end, Work&& work) {
  rows.seek(first);
  Piece piece;
  while (rows.next(piece.row) && piece.row.file_site < end) {
    piece.skip = first > piece.row.file_site ? first - piece.row.file_site : 0;
    piece.sites = std::min(piece.row.sites, end - piece.row.file_site) - piece.skip;
    work(piece);
  }
}

// The number of those sites.
inline std::uint64_t sites_between(lattice::Rows& rows, std::uint64_t first, std::uint64_t end) {
  std::uint64_t sites = 0;
  for_each_piece(rows, first, end, [&](const Piece& piece) { sites += piece.sites; });
  return sites;
}

}  // namespace lq::engine
