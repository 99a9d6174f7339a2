// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/site_batches.hpp"

#include <algorithm>
#include <utility>

#include "engine/encoded_tiles.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tile_map.hpp"

namespace lq::engine {

bool are_alike(std::span<const SiteBatch> batches) noexcept {
  const auto has_as_many = [](const Piece& a, const Piece& b) { return a.sites == b.sites; };
  return std::ranges::all_of(batches, [&](const SiteBatch& batch) {
    return std::ranges::equal(batch.pieces, batches.front().pieces, has_as_many);
  });
}

SiteBatches::SiteBatches(std::vector<lattice::Rows> rows, std::uint64_t max_sites, std::uint64_t tile_sites,
                         std::optional<lattice::Blocks> blocks)
    : max_sites_(std::max<std::uint64_t>(max_sites / std::max<std::size_t>(rows.size(), 1), 1)),
      tile_sites_(tile_sites),
      blocks_(std::move(blocks)) {
  for (lattice::Rows& part : rows) parts_.push_back({std::move(part)});
  if (blocks_ && blocks_->count() > 0) parts_.front().rows.narrow(blocks_->box(block_++));
}

bool SiteBatches::refill(Part& part) {
  Piece& rest = part.rest;
  if (rest.sites > 0) return true;
  while (!part.rows.next(rest.row)) {
    if (!blocks_ || block_ >= blocks_->count()) return false;
    part.rows.narrow(blocks_->box(block_++));
  }
  rest.skip = 0;
  rest.sites = rest.row.sites;
  return true;
}

std::uint64_t SiteBatches::most_from(std::uint64_t site) const noexcept {
  return tile_sites_ == 0 ? max_sites_ : std::min(max_sites_, tile_sites_ - site % tile_sites_);
}

bool SiteBatches::next(SiteBatch& batch) {
  for (std::size_t tried = 0; tried < parts_.size(); ++tried) {
    Part& part = parts_[turn_];
    turn_ = (turn_ + 1) % parts_.size();
    if (next_of(part, batch)) return true;
  }
  return false;
}

std::span<const SiteBatch> SiteBatches::next(std::span<SiteBatch> room) {
  std::size_t filled = 0;
  while (filled < room.size() && next(room[filled])) ++filled;
  return room.first(filled);
}

bool SiteBatches::next_of(Part& part, SiteBatch& batch) {
  Piece& rest = part.rest;
  batch.pieces.clear();
  batch.sites = 0;
  std::uint64_t most = max_sites_;
  while (batch.sites < most && batch.pieces.size() < most_pieces && refill(part)) {
    if (batch.pieces.empty()) {
      batch.file_site = rest.file_site();
      most = most_from(batch.file_site);
    } else if (rest.file_site() != batch.file_site + batch.sites) {
      break;
    }
    Piece piece = rest;
    piece.sites = std::min(rest.sites, most - batch.sites);
    batch.pieces.push_back(piece);
    batch.sites += piece.sites;
    rest.skip += piece.sites;
    rest.sites -= piece.sites;
  }
  return batch.sites > 0;
}

namespace {

// Sites of a lane that are contiguous in the file, if the rank has whole rows.
std::uint64_t sites_together(const MemoryLayout& memory, const lattice::RowPlan& plan) {
  std::uint64_t sites = 1, together = plan.memory.volume();
  for (const int d : lattice::resolve_order(plan.file_order, plan.memory.extents.size())) {
    sites *= static_cast<std::uint64_t>(plan.memory.extents[d]);
    const std::uint64_t lanes = memory.lanes[static_cast<std::size_t>(d)];
    if (lanes > 1) together = std::min(together, sites / lanes);
  }
  return together;
}

// The box of lane number `lane` of a vector.
Box box_of_lane(const MemoryLayout& memory, Box box, std::uint64_t lane) {
  for (const int d : lattice::resolve_order(memory.order, box.extents.size())) {
    const std::uint64_t lanes = memory.lanes[static_cast<std::size_t>(d)];
    box.extents[d] /= static_cast<std::int64_t>(lanes);
    box.lower[d] += static_cast<std::int64_t>(lane % lanes) * box.extents[d];
    lane /= lanes;
  }
  return box;
}

}  // namespace

std::vector<lattice::Rows> rows_by_lane(const MemoryLayout& memory, const Payload& payload,
                                        const lattice::RowPlan& plan, std::uint64_t max_sites) {
  std::uint64_t lanes = 1;
  for (const std::uint64_t along : memory.lanes) lanes *= along;
  std::vector<lattice::Rows> rows;
  const bool take_turns = lanes > 1 && lanes <= std::min<std::uint64_t>(max_sequences, max_sites) &&
                          payload.is_in_one_piece() && !plan.wanted.empty() &&
                          sites_together(memory, plan) >= max_sites / lanes;
  for (std::uint64_t lane = 0; take_turns && lane < lanes; ++lane) {
    lattice::RowPlan part = plan;
    part.wanted = intersect(plan.wanted, box_of_lane(memory, plan.memory, lane));
    if (!part.wanted.empty()) rows.emplace_back(part);
  }
  if (rows.empty()) rows.emplace_back(plan);
  return rows;
}

std::optional<lattice::Blocks> block_order(const Payload& payload, const Box& wanted) {
  if (payload.encoding.empty() || payload.block.size() == 0 || payload.at_odd_points) return {};
  const std::uint64_t layer = lattice::TileMap(payload).layer_sites() * payload.site_bytes();
  if (layer <= decoded_bytes_kept) return {};
  return lattice::Blocks(payload, wanted);
}

bool are_large_blocks(const Payload& payload, int threads) noexcept {
  return payload.tile_sites * payload.site_bytes() * static_cast<std::uint64_t>(threads) > decoded_bytes_kept;
}

}  // namespace lq::engine
