// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of this rank in memory of a GPU that computes what is to be computed of them: reorder, precision, byte
// order and the CRC-32 of sites. The host copies bytes of the file, and adds up.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>

#include "device/file_blocks.hpp"
#include "device/windows.hpp"
#include "engine/site_sums.hpp"
#include "engine/stretches.hpp"
#include "engine/transfer_stats.hpp"
#include "lattice/row_places.hpp"
#include "lattice/row_walk.hpp"
#include "lattice/rows.hpp"

namespace lq::engine {

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

}  // namespace lq::engine
