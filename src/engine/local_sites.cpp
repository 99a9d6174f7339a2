// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/local_sites.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "engine/block.hpp"

namespace lq::engine {
namespace {

// Of rows that are taken or given in one pass, or by way of a buffer.
lattice::RowWalk walk_of(const lattice::RowPlan& plan, std::size_t best_bytes, const SitePacker& packer) {
  return {plan.wanted, plan.file_order, best_bytes / static_cast<std::size_t>(packer.memory_bytes())};
}

std::size_t buffer_for(const lattice::RowWalk& walk, const SitePacker& packer) {
  return static_cast<std::size_t>(walk.most()) * static_cast<std::size_t>(packer.memory_bytes());
}

// The sites of pieces: work(parts, sites of each piece before them, sites of each).
template <class Work>
void walk_group(lattice::RowWalk& walk, const lattice::Rows& rows, const PieceGroup& pieces, const Work& work) {
  std::array<Coord, max_sequences> first;
  for (std::size_t i = 0; i < pieces.count; ++i) first[i] = rows.site(pieces[i].row, pieces[i].skip);
  walk.walk(std::span(first).first(pieces.count), pieces.sites(), work);
}

// All of it while the given number of bytes are worked on.
kernels::isa::Coming fetched_meanwhile(std::span<base::PrefetchList> memory, std::size_t bytes) {
  constexpr std::size_t line_bytes = 64;
  std::size_t lines = 0;
  for (const base::PrefetchList& ahead : memory) lines += ahead.sites * (ahead.bytes / line_bytes + 1);
  return {memory.data(), memory.data() + memory.size(), lines * line_bytes / bytes + 1};
}

}  // namespace

LocalSource::LocalSource(const Field& field, const Payload& payload, const lattice::RowPlan& plan, TransferStats& stats)
    : field_(field), payload_(payload), rows_(plan), packer_(payload, field.spec.precision, stats.sums) {
  if (plan.memory.volume() == 0) return;
  if (auto memory = ComputedMemory::find(field, payload, plan, stats, Way::out)) {
    computed_.emplace(std::move(memory));
    return;
  }
  if (!lattice::is_plain(field)) {
    elsewhere_ = std::make_unique<lattice::RowsOut>(field, plan.memory);
    in_one_pass_ = elsewhere_->go_in_one_pass() && packer_.crc_in_one_pass() != nullptr;
    walk_.emplace(walk_of(rows_.plan(), elsewhere_->best_bytes(in_one_pass_), packer_));
    if (!in_one_pass_) staged_.resize(buffer_for(*walk_, packer_));
    return;
  }
  device::DeviceContext home;
  if (const device::Driver* const driver = device::driver_of(field.data, home); driver != nullptr) {
    device_ =
        std::make_unique<device::SitesOut>(*driver, home, static_cast<const std::byte*>(field.data),
                                           plan.memory.volume(), static_cast<std::size_t>(packer_.memory_bytes()));
  }
}

void LocalSource::pack(const PieceGroup& pieces, std::byte* file, TransferStats& stats, std::uint64_t counted_from) {
  pack_sites(pieces, file, stats.sums, counted_from);
  for (std::size_t i = 0; i < pieces.count; ++i) {
    watch_written(payload_, file + i * pieces.apart * packer_.site_bytes(), pieces[i], counted_from, stats);
  }
}

void LocalSource::pack_sites(const PieceGroup& pieces, std::byte* file, SiteSums& sums, std::uint64_t counted_from) {
  if (in_one_pass_) return pack_in_one_pass(pieces, file, sums, counted_from);
  if (elsewhere_) return pack_staged(pieces, file, sums, counted_from);
  const Piece& piece = pieces[0];
  if (computed_) return computed_->pack(rows_, piece, file, sums, counted_from);
  if (device_) return pack_from_device(piece, file, sums, counted_from);
  const std::byte* const memory =
      static_cast<const std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  packer_.pack(memory, static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes()), Run(piece), file,
               sums, counted_from);
}

void LocalSource::pack_in_one_pass(const PieceGroup& pieces, std::byte* file, SiteSums& sums,
                                   std::uint64_t counted_from) {
  const auto apart = static_cast<std::size_t>(pieces.apart * packer_.site_bytes());
  walk_group(*walk_, rows_, pieces, [&](const auto& parts, std::uint64_t skip, std::uint64_t sites) {
    std::byte* const to = file + skip * packer_.site_bytes();
    elsewhere_->aim_at(parts);
    const auto crcs = elsewhere_->take({packer_.form(), *packer_.crc_in_one_pass()}, {to, pieces.count, apart});
    for (std::size_t i = 0; i < pieces.count; ++i) {
      packer_.sum(crcs.subspan(i * sites, sites), {to + i * apart, sites * packer_.site_bytes()},
                  Run(pieces[i]).part(skip, sites), sums, counted_from);
    }
  });
}

// Sites are packed while the memory of those after them is fetched.
void LocalSource::pack_staged(const PieceGroup& pieces, std::byte* file, SiteSums& sums, std::uint64_t counted_from) {
  std::uint64_t before = 0, staged = 0;
  const auto pack_staged_ones = [&](std::span<base::PrefetchList> behind) {
    kernels::isa::Coming coming = fetched_meanwhile(behind, staged_.size());
    for (std::size_t i = 0; staged > 0 && i < pieces.count; ++i) {
      packer_.pack(staged_.data() + i * staged * static_cast<std::uint64_t>(packer_.memory_bytes()),
                   packer_.memory_bytes(), Run(pieces[i]).part(before, staged),
                   file + (i * pieces.apart + before) * packer_.site_bytes(), sums, counted_from,
                   behind.empty() ? nullptr : &coming);
    }
  };
  walk_group(*walk_, rows_, pieces, [&](const auto& parts, std::uint64_t skip, std::uint64_t sites) {
    pack_staged_ones(elsewhere_->aim_at(parts));
    elsewhere_->take(staged_.data());
    before = skip;
    staged = sites;
  });
  pack_staged_ones({});
}

void LocalSource::pack_from_device(const Piece& piece, std::byte* file, SiteSums& sums, std::uint64_t counted_from) {
  const std::byte* const memory =
      static_cast<const std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  const auto stride = static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes());
  for (std::uint64_t k = 0; k < piece.sites;) {
    const auto some = device_->take(memory + static_cast<std::ptrdiff_t>(k) * stride, stride, piece.sites - k);
    packer_.pack(some.at, packer_.memory_bytes(), Run(piece).part(k, some.sites), file + k * packer_.site_bytes(), sums,
                 counted_from);
    k += some.sites;
  }
}

LocalSink::LocalSink(const MutableField& field, const Payload& payload, const lattice::RowPlan& plan,
                     TransferStats& stats)
    : field_(field), rows_(plan), packer_(payload, field.spec.precision, stats.sums) {
  if (plan.memory.volume() == 0) return;
  if (auto memory = ComputedMemory::find(field, payload, plan, stats, Way::in)) {
    computed_.emplace(std::move(memory));
    return;
  }
  if (!lattice::is_plain(field)) {
    elsewhere_ = std::make_unique<lattice::RowsIn>(field, plan.memory);
    in_one_pass_ = elsewhere_->go_in_one_pass() && packer_.crc_in_one_pass() != nullptr;
    walk_.emplace(walk_of(rows_.plan(), elsewhere_->best_bytes(in_one_pass_), packer_));
    if (!in_one_pass_) staged_.resize(buffer_for(*walk_, packer_));
    return;
  }
  device::DeviceContext home;
  if (const device::Driver* const driver = device::driver_of(field.data, home); driver != nullptr) {
    device_ = std::make_unique<device::SitesIn>(*driver, home, static_cast<std::size_t>(packer_.memory_bytes()));
  }
}

void LocalSink::unpack(const PieceGroup& pieces, const std::byte* file, SiteSums& sums) {
  if (in_one_pass_) return unpack_in_one_pass(pieces, file, sums);
  if (elsewhere_) return unpack_staged(pieces, file, sums);
  const Piece& piece = pieces[0];
  if (computed_) return computed_->unpack(rows_, piece, file, sums);
  if (device_) return unpack_to_device(piece, file, sums);
  std::byte* const memory = static_cast<std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  packer_.unpack(file, Run(piece), memory,
                 static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes()), sums);
}

void LocalSink::unpack_in_one_pass(const PieceGroup& pieces, const std::byte* file, SiteSums& sums) {
  const auto apart = static_cast<std::size_t>(pieces.apart * packer_.site_bytes());
  walk_group(*walk_, rows_, pieces, [&](const auto& parts, std::uint64_t skip, std::uint64_t sites) {
    const std::byte* const from = file + skip * packer_.site_bytes();
    elsewhere_->aim_at(parts);
    const auto crcs = elsewhere_->give({packer_.form(), *packer_.crc_in_one_pass()}, {from, pieces.count, apart});
    for (std::size_t i = 0; i < pieces.count; ++i) {
      packer_.sum(crcs.subspan(i * sites, sites), {from + i * apart, sites * packer_.site_bytes()},
                  Run(pieces[i]).part(skip, sites), sums);
    }
  });
}

// Sites are unpacked while the memory that they are for is fetched.
void LocalSink::unpack_staged(const PieceGroup& pieces, const std::byte* file, SiteSums& sums) {
  walk_group(*walk_, rows_, pieces, [&](const auto& parts, std::uint64_t skip, std::uint64_t sites) {
    const auto target = elsewhere_->aim_at(parts);
    kernels::isa::Coming coming = fetched_meanwhile(target, staged_.size());
    for (std::size_t i = 0; i < pieces.count; ++i) {
      packer_.unpack(file + (i * pieces.apart + skip) * packer_.site_bytes(), Run(pieces[i]).part(skip, sites),
                     staged_.data() + i * sites * static_cast<std::uint64_t>(packer_.memory_bytes()),
                     packer_.memory_bytes(), sums, target.empty() ? nullptr : &coming);
    }
    elsewhere_->give(staged_.data());
  });
}

void LocalSink::give(const Piece& piece, const std::byte* sites) {
  walk_->walk(rows_.site(piece.row, piece.skip), piece.sites,
              [&](const auto& parts, std::uint64_t skip, std::uint64_t) {
                elsewhere_->give(parts, sites + static_cast<std::ptrdiff_t>(skip) * packer_.memory_bytes());
              });
}

void LocalSink::unpack_to_device(const Piece& piece, const std::byte* file, SiteSums& sums) {
  std::byte* const memory = static_cast<std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
  const auto stride = static_cast<std::ptrdiff_t>(piece.row.memory_stride * packer_.memory_bytes());
  for (std::uint64_t k = 0; k < piece.sites;) {
    const auto room = device_->room(piece.sites - k);
    packer_.unpack(file + k * packer_.site_bytes(), Run(piece).part(k, room.sites), room.at, packer_.memory_bytes(),
                   sums);
    device_->put(memory + static_cast<std::ptrdiff_t>(k) * stride, stride, room.sites);
    k += room.sites;
  }
}

void LocalSink::finish(SiteSums& sums) {
  if (computed_) computed_->finish(sums);
  if (elsewhere_) elsewhere_->finish();
  if (device_) device_->finish();
}

std::byte* LocalSink::in_place(const Piece& piece) const noexcept {
  if (computed_ || elsewhere_ || device_ || !packer_.lies_as_in_file() || piece.row.memory_stride != 1) return nullptr;
  return static_cast<std::byte*>(field_.data) + piece.memory_site() * packer_.memory_bytes();
}

}  // namespace lq::engine
