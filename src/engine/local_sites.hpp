// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of this rank: taken from the user's memory, of the host or of a GPU, or function, given to it, in file
// form. What does not lie in plain memory passes through a buffer of a few sites.
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
#include "engine/site_packer.hpp"
#include "engine/site_sums.hpp"
#include "engine/stretches.hpp"
#include "engine/transfer_stats.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/row_walk.hpp"
#include "lattice/rows.hpp"

namespace lq::engine {

// The sites of this rank in memory of a GPU that computes what is to be computed of them: reorder, precision, byte
// order and the CRC-32 of sites. The host copies bytes of the file, and adds up.

enum class Way { out, in };

// Where the sites of pieces lie, as positions: addresses of plain memory, or in memory by description numbers of sites
// in the order in which the file has them.
class ComputedMemory {
 public:
  // Nothing where the host has to compute: memory is no GPU's, there is no compiler, or the form of the sites is none
  // that kernels know. Where it is a GPU's `stats` is told who computes, and why the host does.
  template <class AnyField>
  static std::unique_ptr<ComputedMemory> find(const AnyField& field, const Payload& payload,
                                              const lattice::RowPlan& plan, TransferStats& stats, Way way);

  device::FileBlocks& blocks() noexcept { return *blocks_; }
  std::int64_t position(const lattice::Rows& rows, const Piece& piece) const;
  std::int64_t stride(const Piece& piece) const noexcept;  // positions from one site to the next
  device::Windows windows() const;
  // Sites in memory, as blocks want them; valid until the next call.
  device::MemorySites sites(std::int64_t position, std::int64_t stride, std::uint64_t count);
  // Whether sites() takes those that are not evenly spaced by their places, in numbers; not where memory is described.
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
  // As LocalSource.
  void pack(const lattice::Rows& rows, const Piece& piece, std::byte* file, SiteSums& sums, std::uint64_t counted_from);

 private:
  std::unique_ptr<ComputedMemory> memory_;
  device::Windows windows_;
};

// Pieces are put together in a block until it is full.
class ComputedSink {
 public:
  explicit ComputedSink(std::unique_ptr<ComputedMemory> memory);
  // As LocalSink.
  void unpack(const lattice::Rows& rows, const Piece& piece, const std::byte* file, SiteSums& sums);
  void finish(SiteSums& sums);

 private:
  // Sites of a block, contiguous: in the file, and evenly spaced in memory.
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
  // `stats` says which sums are wanted, and is told which way memory of a GPU goes.
  LocalSource(const Field& field, const Payload& payload, const lattice::RowPlan& plan, TransferStats& stats);

  lattice::Rows& rows() noexcept { return rows_; }
  const SitePacker& packer() const noexcept { return packer_; }
  // How many pieces can go at once.
  std::uint64_t most_at_once() const noexcept { return walk_ ? walk_->most() : 1; }
  // Packs pieces; sites before `counted_from` are not counted: neither summed nor looked at.
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
  std::optional<ComputedSource> computed_;       // only where a GPU computes
  std::unique_ptr<device::SitesOut> device_;     // only where the memory is that of a GPU that does not
  std::unique_ptr<lattice::RowsOut> elsewhere_;  // only where the memory is not plain
  bool in_one_pass_ = false;                     // between such memory and the file
  std::vector<std::byte> staged_;                // else
  std::optional<lattice::RowWalk> walk_;
};

class LocalSink {
 public:
  // `stats` says which sums are wanted, and is told which way memory of a GPU goes.
  LocalSink(const MutableField& field, const Payload& payload, const lattice::RowPlan& plan, TransferStats& stats);

  lattice::Rows& rows() noexcept { return rows_; }
  const SitePacker& packer() const noexcept { return packer_; }
  std::uint64_t most_at_once() const noexcept { return walk_ ? walk_->most() : 1; }
  void unpack(const PieceGroup& pieces, const std::byte* file, SiteSums& sums);
  // Of memory that is not plain: sites in its own form.
  void give(const Piece& piece, const std::byte* sites);
  // Until all that was unpacked is in its place, and counted.
  void finish(SiteSums& sums);
  // Local memory of a piece whose sites lie there as in the file, except for the order of bytes; nullptr when they do
  // not.
  std::byte* in_place(const Piece& piece) const noexcept;

 private:
  void unpack_to_device(const Piece& piece, const std::byte* file, SiteSums& sums);
  void unpack_in_one_pass(const PieceGroup& pieces, const std::byte* file, SiteSums& sums);
  void unpack_staged(const PieceGroup& pieces, const std::byte* file, SiteSums& sums);

  MutableField field_;
  lattice::Rows rows_;
  SitePacker packer_;
  std::optional<ComputedSink> computed_;        // only where a GPU computes
  std::unique_ptr<device::SitesIn> device_;     // only where the memory is that of a GPU that does not
  std::unique_ptr<lattice::RowsIn> elsewhere_;  // only where the memory is not plain
  bool in_one_pass_ = false;                    // between such memory and the file
  std::vector<std::byte> staged_;               // else
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

// How many sites that are.
inline std::uint64_t sites_between(lattice::Rows& rows, std::uint64_t first, std::uint64_t end) {
  std::uint64_t sites = 0;
  for_each_piece(rows, first, end, [&](const Piece& piece) { sites += piece.sites; });
  return sites;
}

}  // namespace lq::engine
