// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of this rank: taken from the user's memory, of the host or of a GPU, or function, given to it, in file
// form. What does not lie in plain memory passes through a buffer of a few sites.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <limequat/field.hpp>

#include "device/sites.hpp"
#include "engine/computed_sites.hpp"
#include "engine/site_packer.hpp"
#include "engine/transfer_stats.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/row_walk.hpp"
#include "lattice/rows.hpp"

namespace lq::engine {

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
