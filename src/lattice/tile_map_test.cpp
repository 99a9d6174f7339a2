// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tiles against plain arithmetic on coordinates: every site has its place, and sites and padding fill all places once.
#include "lattice/tile_map.hpp"

#include <gtest/gtest.h>

#include <limequat/error.hpp>

#include "lattice/site_order.hpp"
#include "support/error_of.hpp"

namespace lq::lattice {
namespace {

struct BlocksCase {
  Box stored;
  SiteOrder order;
  Extents block;
};

Payload payload_of(const BlocksCase& c) {
  Payload payload;
  payload.extents = Coord::filled(c.stored.extents.size(), 100);
  payload.stored = c.stored;
  payload.order = c.order;
  payload.block = c.block;
  payload.tile_sites = volume(c.block);
  return payload;
}

// The tile of a site and its place there, digit by digit.
std::pair<std::uint64_t, std::uint64_t> place_of(const BlocksCase& c, const Coord& x) {
  const SiteOrder order = resolve_order(c.order, c.block.size());
  std::uint64_t tile = 0, place = 0;
  for (std::size_t k = order.size(); k-- > 0;) {
    const int d = order[k];
    const std::int64_t own = x[d] - c.stored.lower[d];
    const std::int64_t count = (c.stored.extents[d] - 1) / c.block[d] + 1;
    tile = tile * static_cast<std::uint64_t>(count) + static_cast<std::uint64_t>(own / c.block[d]);
    place = place * static_cast<std::uint64_t>(c.block[d]) + static_cast<std::uint64_t>(own % c.block[d]);
  }
  return {tile, place};
}

class TileMapOf : public ::testing::TestWithParam<BlocksCase> {};

TEST_P(TileMapOf, BlocksKnowThePlaceOfEverySite) {
  const BlocksCase& c = GetParam();
  const TileMap map(payload_of(c));
  const SiteOrder order = resolve_order(c.order, c.block.size());
  std::uint64_t blocks = 1;
  for (int d = 0; d < c.block.size(); ++d) {
    blocks *= static_cast<std::uint64_t>((c.stored.extents[d] + c.block[d] - 1) / c.block[d]);
  }
  ASSERT_EQ(map.tiles(), blocks);
  std::vector<std::vector<int>> filled(blocks, std::vector<int>(volume(c.block), 0));
  for (std::uint64_t site = 0; site < c.stored.volume(); ++site) {
    const TilePiece piece = map.piece_at(site);
    ASSERT_GE(piece.sites, 1U);
    for (std::uint64_t i = 0; i < piece.sites; ++i) {
      const auto [tile, place] = place_of(c, site_at(site + i, c.stored, order));
      ASSERT_EQ(tile, piece.tile) << site << " + " << i;
      ASSERT_EQ(place, piece.first + i) << site << " + " << i;
    }
    filled[piece.tile][piece.first] += 1;
    // Whoever is the last of a piece answers for what lies after it.
    for (std::uint64_t i = 0; piece.sites == 1 && i < piece.padding; ++i) filled[piece.tile][piece.first + 1 + i] += 1;
  }
  for (std::uint64_t tile = 0; tile < blocks; ++tile) {
    EXPECT_EQ(map.places(tile), volume(c.block));
    for (const int times : filled[tile]) ASSERT_EQ(times, 1) << tile;
  }
}

TEST_P(TileMapOf, LayersAreOfWholeTiles) {
  const BlocksCase& c = GetParam();
  const TileMap map(payload_of(c));
  std::vector<std::uint64_t> layer_of(map.tiles(), ~std::uint64_t{0});
  for (std::uint64_t site = 0; site < c.stored.volume(); ++site) {
    std::uint64_t& layer = layer_of[map.piece_at(site).tile];
    if (layer == ~std::uint64_t{0}) layer = site / map.layer_sites();
    ASSERT_EQ(layer, site / map.layer_sites());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, TileMapOf,
    ::testing::Values(BlocksCase{{{0, 0, 0, 0}, {4, 6, 2, 4}}, {}, {2, 3, 1, 4}},
                      BlocksCase{{{0, 0, 0, 0}, {5, 7, 3, 4}}, {}, {2, 3, 2, 3}},
                      BlocksCase{{{0, 0, 0, 0}, {5, 7, 3, 4}}, {3, 2, 1, 0}, {2, 3, 2, 3}},
                      BlocksCase{{{0, 0, 0, 0}, {4, 3, 2, 5}}, {}, {4, 3, 2, 1}},            // slices
                      BlocksCase{{{0, 0, 0, 0}, {4, 3, 2, 5}}, {}, {4, 3, 2, 2}},            // the last one is not full
                      BlocksCase{{{0, 0, 0, 0}, {4, 3, 2, 5}}, {}, {4, 2, 1, 5}},            // rows are whole
                      BlocksCase{{{0, 0, 0, 0}, {4, 3, 2, 5}}, {}, {4, 3, 2, 5}},            // one block in all
                      BlocksCase{{{0, 0, 0, 0}, {4, 3, 2, 5}}, {1, 0, 3, 2}, {8, 3, 4, 6}},  // larger than the lattice
                      BlocksCase{{{3, 1, 2}, {5, 4, 6}}, {2, 0, 1}, {2, 4, 3}}, BlocksCase{{{0}, {17}}, {}, {5}}));

TEST(TileMapOfRuns, HasAShortLastTile) {
  Payload payload;
  payload.extents = {23};
  payload.stored = whole(payload.extents);
  payload.tile_sites = 5;
  const TileMap map(payload);
  EXPECT_EQ(map.tiles(), 5U);
  EXPECT_EQ(map.layer_sites(), 5U);
  EXPECT_EQ(map.places(3), 5U);
  EXPECT_EQ(map.places(4), 3U);
  const TilePiece piece = map.piece_at(21);
  EXPECT_EQ(piece.tile, 4U);
  EXPECT_EQ(piece.first, 1U);
  EXPECT_EQ(piece.sites, 2U);
  EXPECT_EQ(piece.padding, 0U);
}

TEST(TileMapOfBlocks, RefusesBlocksThatDoNotFit) {
  Payload payload = payload_of({{{0, 0}, {4, 6}}, {}, {2, 3}});
  payload.tile_sites = 7;
  EXPECT_EQ(testing::error_of([&] { TileMap{payload}; }).code(), Code::invalid_argument);
  payload = payload_of({{{0, 0}, {4, 6}}, {}, {2, 3, 1}});
  EXPECT_EQ(testing::error_of([&] { TileMap{payload}; }).code(), Code::invalid_argument);
}

TEST(TileMapOfBlocks, TellsWhoHasWholeOnes) {
  const Payload payload = payload_of({{{1, 0}, {5, 6}}, {}, {2, 3}});
  EXPECT_TRUE(has_whole_blocks(payload, {{1, 0}, {4, 3}}));
  EXPECT_TRUE(has_whole_blocks(payload, {{5, 3}, {1, 3}}));
  EXPECT_FALSE(has_whole_blocks(payload, {{2, 0}, {4, 3}}));
  EXPECT_FALSE(has_whole_blocks(payload, {{1, 0}, {3, 3}}));
}

}  // namespace
}  // namespace lq::lattice
