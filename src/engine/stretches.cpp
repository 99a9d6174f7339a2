// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/stretches.hpp"

#include <algorithm>
#include <utility>

namespace lq::engine {

bool are_alike(std::span<const Stretch> stretches) noexcept {
  const auto has_as_many = [](const Piece& a, const Piece& b) { return a.sites == b.sites; };
  return std::ranges::all_of(stretches, [&](const Stretch& stretch) {
    return std::ranges::equal(stretch.pieces, stretches.front().pieces, has_as_many);
  });
}

Stretches::Stretches(std::vector<lattice::Rows> rows, std::uint64_t max_sites, std::uint64_t tile_sites,
                     std::optional<lattice::Blocks> blocks)
    : max_sites_(std::max<std::uint64_t>(max_sites / std::max<std::size_t>(rows.size(), 1), 1)),
      tile_sites_(tile_sites),
      blocks_(std::move(blocks)) {
  for (lattice::Rows& part : rows) parts_.push_back({std::move(part)});
  if (blocks_ && blocks_->count() > 0) parts_.front().rows.narrow(blocks_->box(block_++));
}

bool Stretches::refill(Part& part) {
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

std::uint64_t Stretches::most_from(std::uint64_t site) const noexcept {
  return tile_sites_ == 0 ? max_sites_ : std::min(max_sites_, tile_sites_ - site % tile_sites_);
}

bool Stretches::next(Stretch& stretch) {
  for (std::size_t tried = 0; tried < parts_.size(); ++tried) {
    Part& part = parts_[turn_];
    turn_ = (turn_ + 1) % parts_.size();
    if (next_of(part, stretch)) return true;
  }
  return false;
}

std::span<const Stretch> Stretches::next(std::span<Stretch> room) {
  std::size_t filled = 0;
  while (filled < room.size() && next(room[filled])) ++filled;
  return room.first(filled);
}

bool Stretches::next_of(Part& part, Stretch& stretch) {
  Piece& rest = part.rest;
  stretch.pieces.clear();
  stretch.sites = 0;
  std::uint64_t most = max_sites_;
  while (stretch.sites < most && stretch.pieces.size() < most_pieces && refill(part)) {
    if (stretch.pieces.empty()) {
      stretch.file_site = rest.file_site();
      most = most_from(stretch.file_site);
    } else if (rest.file_site() != stretch.file_site + stretch.sites) {
      break;
    }
    Piece piece = rest;
    piece.sites = std::min(rest.sites, most - stretch.sites);
    stretch.pieces.push_back(piece);
    stretch.sites += piece.sites;
    rest.skip += piece.sites;
    rest.sites -= piece.sites;
  }
  return stretch.sites > 0;
}

}  // namespace lq::engine
