// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/tile_map.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "lattice/site_order.hpp"

namespace lq::lattice {

// Sites 2k and 2k + 1 of the sequence differ in parity, because the extents are even: the odd one of them is record k.
// Blocks are even along the fastest dimension, so that both are in one block.

namespace {

void require_even_links(const Payload& payload) {
  const int dimensions = payload.extents.size();
  const FieldSpec& spec = payload.spec;
  bool fits = dimensions >= 1 &&
              (spec.kind == FieldKind::generic || (spec.kind == FieldKind::gauge && spec.links == dimensions)) &&
              spec.numbers > 0 && spec.numbers % static_cast<std::uint64_t>(dimensions) == 0 &&
              payload.stored == whole(payload.extents) && payload.site_bytes() == spec.site_bytes();
  for (const std::int64_t extent : payload.extents) fits = fits && extent >= 2 && extent % 2 == 0;
  if (payload.block.size() > 0) fits = fits && payload.block[resolve_order(payload.order, dimensions).front()] % 2 == 0;
  if (fits) return;
  base::fail(Code::invalid_argument, {},
             "a field on {} cannot be stored at odd points; expected one link for each dimension, on a whole lattice "
             "of even extents and in blocks that hold neighbours of the fastest dimension together",
             to_string(payload.extents));
}

}  // namespace

OddPoints::OddPoints(const Payload& payload) {
  require_even_links(payload);
  const int dimensions = payload.extents.size();
  link_bytes_ = payload.site_bytes() / static_cast<std::uint64_t>(dimensions);
  const std::uint64_t numbers = payload.spec.numbers / static_cast<std::uint64_t>(dimensions);
  const SiteOrder order = resolve_order(payload.order, dimensions);
  extents_ = Coord::filled(dimensions, 0);
  std::uint64_t stride = 1;
  for (std::size_t d = 0; d < order.size(); ++d) {
    extents_[static_cast<int>(d)] = payload.extents[order[d]];
    strides_.push_back(stride);
    stride *= static_cast<std::uint64_t>(payload.extents[order[d]]);
  }
  for (int k = 0; k < dimensions; ++k) {
    const std::size_t first = static_cast<std::size_t>(k) * static_cast<std::size_t>(numbers);
    const int mu = payload.codec.order.empty() ? k : static_cast<int>(payload.codec.order[first] / numbers);
    direction_.push_back(static_cast<int>(std::ranges::find(order, mu) - order.begin()));
  }
}

OddPoints::Walk::Walk(const OddPoints& points, std::uint64_t first) noexcept
    : points_(points), site_(first), x_(points.extents_) {
  for (int d = 0; d < x_.size(); ++d) {
    const auto extent = static_cast<std::uint64_t>(points.extents_[d]);
    x_[d] = static_cast<std::int64_t>(first % extent);
    first /= extent;
  }
}

void OddPoints::Walk::advance() noexcept {
  ++site_;
  for (int d = 0; d < x_.size(); ++d) {
    if (++x_[d] < points_.extents_[d]) return;
    x_[d] = 0;
  }
}

std::uint64_t OddPoints::Walk::place(int k) const noexcept {
  std::int64_t sum = 0;
  for (const std::int64_t x : x_) sum += x;
  const auto both = static_cast<std::uint64_t>(2 * points_.links()), pair = 2 * static_cast<std::uint64_t>(k);
  if (sum % 2 != 0) return site_ / 2 * both + pair;
  const int d = points_.direction_[static_cast<std::size_t>(k)];
  const std::uint64_t stride = points_.strides_[static_cast<std::size_t>(d)];
  const auto extent = static_cast<std::uint64_t>(points_.extents_[d]);
  const bool wraps = x_[d] + 1 == points_.extents_[d];
  const std::uint64_t neighbour = wraps ? site_ - (extent - 1) * stride : site_ + stride;
  return neighbour / 2 * both + pair + 1;
}

namespace {

void require_fit(const Payload& payload) {
  const Extents& block = payload.block;
  const bool fits = block.size() == payload.stored.extents.size() &&
                    std::ranges::all_of(block, [](std::int64_t extent) { return extent >= 1; }) &&
                    volume(block) == payload.tile_sites;
  if (fits) return;
  base::fail(Code::invalid_argument, {}, "blocks of {} are not tiles of {} sites of a lattice of {}", to_string(block),
             payload.tile_sites, to_string(payload.stored.extents));
}

std::uint64_t offset_in_tiles(const Payload& payload, std::uint64_t site, std::uint64_t byte_of_site) {
  const TileMap map(payload);
  const TilePiece piece = map.piece_at(site);
  const std::uint64_t bytes = payload.site_bytes() / payload.arrays;
  const Tile& tile = payload.tiles.at(static_cast<std::size_t>(byte_of_site / bytes * map.tiles() + piece.tile));
  return payload.encoding.empty() ? tile.offset + piece.first * bytes + byte_of_site % bytes : tile.offset;
}

}  // namespace

TileMap::TileMap(const Payload& payload) : is_padded_(payload.block.size() > 0) {
  if (is_padded_) {
    require_fit(payload);
    const SiteOrder order = resolve_order(payload.order, payload.stored.extents.size());
    extents_ = block_ = Coord::filled(payload.stored.extents.size(), 1);
    int last = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      extents_[last] *= payload.stored.extents[order[k]];
      block_[last] *= payload.block[order[k]];
      if (extents_[last] != block_[last] && k + 1 < order.size()) ++last;
    }
    Extents extents = Coord::filled(last + 1, 0), block = extents;
    for (int d = 0; d <= last; ++d) {
      extents[d] = extents_[d];
      block[d] = block_[d];
    }
    extents_ = extents;
    block_ = block;
  } else {
    extents_ = Coord::filled(1, static_cast<std::int64_t>(payload.stored.volume()));
    block_ = Coord::filled(1, static_cast<std::int64_t>(payload.tile_sites));
  }
  counts_ = extents_;
  tiles_ = layer_sites_ = 1;
  const int slowest = extents_.size() - 1;
  for (int d = 0; d <= slowest; ++d) {
    counts_[d] = (extents_[d] + block_[d] - 1) / block_[d];
    tiles_ *= static_cast<std::uint64_t>(counts_[d]);
    layer_sites_ *= static_cast<std::uint64_t>(d < slowest ? extents_[d] : block_[d]);
  }
}

std::uint64_t TileMap::places(std::uint64_t tile) const noexcept {
  if (is_padded_) return volume(block_);
  const auto all = static_cast<std::uint64_t>(extents_[0]), full = static_cast<std::uint64_t>(block_[0]);
  return std::min(full, all - tile * full);
}

TilePiece TileMap::piece_at(std::uint64_t file_site) const noexcept {
  TilePiece piece;
  std::int64_t rest = static_cast<std::int64_t>(file_site), tiles = 1, places = 1, padding = 0;
  bool ends = true;  // the piece ends with the sites of the tile in all faster dimensions
  for (int d = 0; d < extents_.size(); ++d) {
    const std::int64_t x = rest % extents_[d], number = x / block_[d], within = x % block_[d];
    const std::int64_t there = std::min(block_[d], extents_[d] - number * block_[d]);
    rest /= extents_[d];
    piece.tile += static_cast<std::uint64_t>(number * tiles);
    piece.first += static_cast<std::uint64_t>(within * places);
    if (d == 0) piece.sites = static_cast<std::uint64_t>(there - within);
    ends = ends && (d == 0 || within + 1 == there);
    if (ends) padding += (block_[d] - there) * places;
    tiles *= counts_[d];
    places *= block_[d];
  }
  if (is_padded_) piece.padding = static_cast<std::uint64_t>(padding);
  return piece;
}

std::uint64_t offset_of(const Payload& payload, std::uint64_t file_site, std::uint64_t byte_of_site) {
  if (payload.at_odd_points) {
    const OddPoints points(payload);
    const std::uint64_t link = points.link_bytes(), site_bytes = payload.site_bytes();
    const std::uint64_t place = OddPoints::Walk(points, file_site).place(static_cast<int>(byte_of_site / link));
    const std::uint64_t byte = place * link + byte_of_site % link;
    if (payload.tile_sites == 0) return payload.offset + byte;
    return offset_in_tiles(payload, byte / site_bytes, byte % site_bytes);
  }
  if (payload.tile_sites == 0) return payload.offset + file_site * payload.site_bytes() + byte_of_site;
  return offset_in_tiles(payload, file_site, byte_of_site);
}

bool has_whole_blocks(const Payload& payload, const Box& box) noexcept {
  for (int d = 0; d < box.extents.size(); ++d) {
    const std::int64_t begin = box.lower[d] - payload.stored.lower[d], end = begin + box.extents[d];
    if (begin % payload.block[d] != 0) return false;
    if (end % payload.block[d] != 0 && end != payload.stored.extents[d]) return false;
  }
  return true;
}

}  // namespace lq::lattice
