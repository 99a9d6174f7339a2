// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "archive/archive.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tile_map.hpp"

namespace lq::archive {
namespace {

// Blocks of a gauge field, so many of them in each file behind a header of 56 bytes.
Catalog blocks(const Extents& extents, const Extents& block, std::size_t in_file, bool at_odd_points) {
  Catalog catalog;
  catalog.path = "dir/run_b0";
  catalog.format = "openqcd";
  Payload& payload = catalog.fields.emplace_back().payload;
  payload.spec = gauge_spec(Precision::double_, 3, 4);
  payload.spec.numbers = 72;
  payload.extents = extents;
  payload.stored = whole(extents);
  payload.order = {2, 1, 0, 3};
  payload.byte_order = ByteOrder::little;
  payload.block = block;
  payload.tile_sites = volume(block);
  payload.length = volume(extents) * 576;
  payload.at_odd_points = at_odd_points;
  const std::size_t count = volume(extents) / volume(block);
  for (std::size_t k = 0; k < count; ++k) {
    payload.tiles.push_back(
        {static_cast<int>(k / in_file), 56 + k % in_file * volume(block) * 576, volume(block) * 576});
  }
  for (std::size_t k = 0; k < count / in_file; ++k) catalog.files.push_back("dir/run_b" + std::to_string(k));
  return catalog;
}

// Tiles get numbers for places, so that it can be told which one a site is in.
void number_tiles(Archive& archive) {
  std::uint64_t number = 0;
  for (Segment& segment : archive.segments) {
    for (std::uint64_t at = 0; segment.is_squeezed() && at < segment.length; at += segment.tile_bytes) {
      segment.tiles.push_back({0, number++, 1});
    }
  }
}

// Every site is in the tile into which its bytes of the original go, and there in the place that they have.
void expect_same_places(const Catalog& catalog, const Archive& archive) {
  const Payload& original = catalog.fields[0].payload;
  const auto squeezed = in_tiles(original, archive);
  ASSERT_TRUE(squeezed.has_value());
  const lattice::TileMap before(original), after(*squeezed);
  for (std::uint64_t site = 0; site < original.stored.volume(); ++site) {
    const lattice::TilePiece was = before.piece_at(site), is = after.piece_at(site);
    const Tile& tile = original.tiles[was.tile];
    const std::uint64_t byte = archive.files[static_cast<std::size_t>(tile.file)].begin + tile.offset + was.first * 576;
    const auto holds = [&](const Segment& one) { return one.begin <= byte && byte < one.begin + one.length; };
    const auto segment = std::ranges::find_if(archive.segments, holds);
    ASSERT_NE(segment, archive.segments.end());
    ASSERT_TRUE(segment->is_squeezed());
    const std::uint64_t within = byte - segment->begin;
    EXPECT_EQ(squeezed->tiles[is.tile].offset, segment->tiles[within / segment->tile_bytes].offset);
    EXPECT_EQ(is.first * 576, within % segment->tile_bytes);
  }
}

TEST(Cut, BlocksBecomeTimeSlicesAndPartsOfThem) {
  // A slice of a block has 4608 sites of 576 bytes: four parts in x are below the 768 KiB that a tile has at most.
  const Catalog catalog = blocks({16, 12, 24, 4}, {16, 12, 24, 2}, 1, true);
  Archive archive = cut(catalog, {56 + 9216 * 576, 56 + 9216 * 576});
  ASSERT_EQ(archive.segments.size(), 4U);
  EXPECT_EQ(archive.name, "run");
  EXPECT_EQ(archive.files[1].suffix, "_b1");
  EXPECT_EQ(archive.segments[0].length, 56U);
  EXPECT_EQ(archive.segments[1].tile_bytes, 4608U * 576 / 4);
  EXPECT_EQ(archive.segments[2].begin, 56U + 9216 * 576);
  EXPECT_EQ(archive.segments[3].begin + archive.segments[3].length, archive.bytes);
  number_tiles(archive);
  expect_same_places(catalog, archive);
}

TEST(Cut, BlocksThatFollowEachOtherAreOneSegment) {
  const Catalog catalog = blocks({8, 8, 4, 8}, {4, 4, 4, 4}, 4, true);
  const std::uint64_t file = 56 + 4 * 256 * 576;
  Archive archive = cut(catalog, {file, file});
  ASSERT_EQ(archive.segments.size(), 4U);
  EXPECT_EQ(archive.segments[1].tile_bytes, 64U * 576);
  number_tiles(archive);
  expect_same_places(catalog, archive);
}

TEST(Cut, SmallSlicesOfBlocksStayTogether) {
  const Catalog catalog = blocks({4, 4, 4, 8}, {2, 2, 4, 4}, 2, false);
  const std::uint64_t file = 56 + 2 * 64 * 576;
  Archive archive = cut(catalog, std::vector<std::uint64_t>(4, file));
  EXPECT_EQ(archive.segments[1].tile_bytes, 64U * 576);
  number_tiles(archive);
  expect_same_places(catalog, archive);
}

TEST(Cut, FilesWithOneNameCannotBeToldApart) {
  Catalog catalog = blocks({4, 4, 4, 4}, {4, 4, 4, 2}, 1, true);
  catalog.files = {"a/run_b0", "b/run_b0"};
  EXPECT_THROW(cut(catalog, {56 + 128 * 576, 56 + 128 * 576}), Error);
}

TEST(Archive, OfASetKeepsNamesAndSizes) {
  Archive archive;
  archive.name = "run";
  archive.format = "openqcd";
  archive.bytes = 12;
  archive.files = {{"_b0", 0, 5}, {"_b1&", 5, 0}, {".x", 5, 7}};
  const Archive same = decode_head(encode_head(archive), 0);
  ASSERT_EQ(same.files.size(), 3U);
  EXPECT_EQ(same.files[1].suffix, "_b1&");
  EXPECT_EQ(same.files[2].begin, 5U);
  EXPECT_EQ(same.end_of_file_at(4), 5U);
  EXPECT_EQ(same.end_of_file_at(5), 12U);
  archive.files[2].suffix = "../x";
  EXPECT_THROW(decode_head(encode_head(archive), 0), Error);
  archive.files[2] = {".x", 5, 6};
  EXPECT_THROW(decode_head(encode_head(archive), 0), Error);
}

}  // namespace
}  // namespace lq::archive
