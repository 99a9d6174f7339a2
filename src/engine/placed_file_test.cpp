// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A sequence in tiles, as they are or encoded, in two files, against the bytes it is made of.
#include "engine/sequence.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/encoded_tiles.hpp"
#include "support/error_of.hpp"
#include "support/run_codec.hpp"
#include "support/thread_comm.hpp"

namespace lq::engine {
namespace {

using lq::testing::error_of;

// 23 sites of 8 bytes in tiles of 5 sites; every second tile is in the second file.
Payload tiled() {
  Payload payload;
  payload.spec = generic_spec(Precision::single, 2, false);
  payload.extents = {23};
  payload.stored = whole(payload.extents);
  payload.tile_sites = 5;
  for (std::uint64_t k = 0; k < 5; ++k) payload.tiles.push_back({static_cast<int>(k % 2), 100, k < 4 ? 40U : 24U});
  return payload;
}

std::vector<std::byte> sequence() {
  std::vector<std::byte> bytes(23 * 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i / 11);
  return bytes;
}

struct TwoFiles {
  std::shared_ptr<storage::Transport> transport = storage::make_memory();
  std::unique_ptr<storage::File> first = transport->create("a"), second = transport->create("b");
  std::vector<storage::File*> both() const { return {first.get(), second.get()}; }
};

std::vector<std::byte> read(storage::File& file, std::uint64_t offset, std::size_t bytes) {
  std::vector<std::byte> result(bytes);
  result.resize(file.read_at(offset, result));
  return result;
}

TEST(PlacedFile, PutsTilesWhereTheyWerePlanned) {
  TwoFiles files;
  Payload payload = tiled();
  for (std::size_t k = 0; k < 5; ++k) payload.tiles[k].offset = 1000 - 100 * k;
  PlacedFile placed("set", payload, nullptr, files.both());
  const std::vector<std::byte> bytes = sequence();
  // Pieces that begin and end anywhere.
  for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{50, 184}, {0, 7}, {7, 50}}) {
    placed.write_at(begin, base::Bytes(bytes).subspan(begin, end - begin));
  }
  for (std::size_t k = 0; k < 5; ++k) {
    const std::size_t length = std::min<std::size_t>(40, 184 - 40 * k);
    const auto expected = base::Bytes(bytes).subspan(40 * k, length);
    EXPECT_TRUE(std::ranges::equal(read(*files.both()[k % 2], 1000 - 100 * k, length), expected)) << k;
  }
  EXPECT_EQ(read(placed, 0, 300), bytes);
  EXPECT_EQ(read(placed, 33, 90), std::vector(bytes.begin() + 33, bytes.begin() + 123));
}

// Ranks encode tiles in turn; the files do not depend on who did.
TEST(PlacedFile, PlacesEncodedTilesWhenAllSizesAreKnown) {
  const lq::testing::RunCodec codec;
  const std::vector<std::byte> bytes = sequence();
  for (const int ranks : {1, 2, 3}) {
    TwoFiles files;
    std::vector<Tile> tiles;
    Payload payload = tiled();
    payload.encoding = "runs";
    lq::testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      PlacedFile placed("set", payload, &codec, files.both());
      for (std::size_t k = 0; k < 5; ++k) {
        if (static_cast<int>(k) % ranks != comm->rank()) continue;
        const base::Bytes tile = base::Bytes(bytes).subspan(40 * k, std::min<std::size_t>(40, 184 - 40 * k));
        placed.write_at(40 * k, tile.first(10));
        placed.write_at(40 * k + 10, tile.subspan(10));
      }
      const std::vector<Tile> settled = placed.settle(*comm);
      if (comm->rank() == 0) tiles = settled;
    });
    std::uint64_t next[2] = {100, 100};
    for (std::size_t k = 0; k < 5; ++k) {
      const auto expected = codec.encode(base::Bytes(bytes).subspan(40 * k, std::min<std::size_t>(40, 184 - 40 * k)));
      EXPECT_EQ(tiles[k], (Tile{static_cast<int>(k % 2), next[k % 2], expected.size()})) << k;
      EXPECT_EQ(read(*files.both()[k % 2], next[k % 2], expected.size()), expected) << k;
      next[k % 2] += expected.size();
    }
    payload.tiles = tiles;
    PlacedFile placed("set", payload, &codec, files.both());
    EXPECT_EQ(read(placed, 0, 300), bytes);
    EXPECT_EQ(read(placed, 33, 90), std::vector(bytes.begin() + 33, bytes.begin() + 123));
  }
}

// One byte before what it holds.
class LabelCodec final : public format::TileCodec {
 public:
  std::vector<std::byte> encode(base::Bytes sites) const override {
    std::vector<std::byte> bytes(sites.size() + 1, std::byte{7});
    std::ranges::copy(sites, bytes.begin() + 1);
    return bytes;
  }
  void decode(base::Bytes encoded, base::MutableBytes sites) const override {
    std::ranges::copy(encoded.subspan(1), sites.begin());
  }
};

// More than waits in memory goes to the file twice; nothing of that is seen afterwards.
TEST(PlacedFile, HoldsFewEncodedTilesWhileTheyWait) {
  const LabelCodec codec;
  constexpr std::uint64_t tile_bytes = encoded_bytes_kept / 4, count = 10;
  for (const int ranks : {1, 2}) {
    TwoFiles files;
    Payload payload;
    payload.spec = generic_spec(Precision::single, 1, false);
    payload.extents = {static_cast<std::int64_t>(count * tile_bytes / 4)};
    payload.stored = whole(payload.extents);
    payload.tile_sites = tile_bytes / 4;
    payload.encoding = "label";
    for (std::uint64_t k = 0; k < count; ++k) payload.tiles.push_back({0, 100, tile_bytes});
    std::vector<Tile> tiles;
    lq::testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      PlacedFile placed("set", payload, &codec, files.both());
      for (std::uint64_t k = 0; k < count; ++k) {
        if (static_cast<int>(k) % ranks != comm->rank()) continue;
        placed.write_at(k * tile_bytes, std::vector<std::byte>(tile_bytes, static_cast<std::byte>(k)));
      }
      const std::vector<Tile> settled = placed.settle(*comm);
      if (comm->rank() == 0) tiles = settled;
    });
    for (std::uint64_t k = 0; k < count; ++k) {
      EXPECT_EQ(tiles.at(k), (Tile{0, 100 + k * (tile_bytes + 1), tile_bytes + 1}));
    }
    EXPECT_EQ(files.first->size(), 100 + count * (tile_bytes + 1));
    payload.tiles = tiles;
    PlacedFile placed("set", payload, &codec, files.both());
    for (std::uint64_t k = 0; k < count; ++k) {
      EXPECT_EQ(read(placed, (k + 1) * tile_bytes - 4, 4), std::vector(4, static_cast<std::byte>(k)));
    }
  }
}

TEST(PlacedFile, SaysWhenATileIsNotAllOnOneRank) {
  const lq::testing::RunCodec codec;
  TwoFiles files;
  Payload payload = tiled();
  payload.encoding = "runs";
  const std::vector<std::byte> bytes(40);
  PlacedFile skips("set", payload, &codec, files.both()), stays_open("set", payload, &codec, files.both());
  skips.write_at(10, base::Bytes(bytes).first(10));
  stays_open.write_at(0, base::Bytes(bytes).first(10));
  lq::testing::run_ranks(1, [&](std::shared_ptr<comm::Comm> comm) {
    EXPECT_EQ(error_of([&] { skips.settle(*comm); }).code(), Code::unsupported);
    EXPECT_EQ(error_of([&] { stays_open.settle(*comm); }).code(), Code::unsupported);
  });
}

// As several threads do: each writes what it has, whoever completes a tile encodes it.
TEST(PlacedFile, EncodesTilesThatAreFilledInAnyOrder) {
  const lq::testing::RunCodec codec;
  Payload payload = tiled();
  payload.encoding = "runs";
  const std::vector<std::byte> bytes = sequence();
  const auto encoded = [&](bool backwards) {
    TwoFiles files;
    PlacedFile placed("set", payload, &codec, files.both());
    for (std::size_t k = 0; k < bytes.size() / 8; ++k) {
      const std::size_t at = 8 * (backwards ? bytes.size() / 8 - 1 - k : k);
      placed.write_at(at, base::Bytes(bytes).subspan(at, 8));
    }
    std::vector<Tile> tiles;
    lq::testing::run_ranks(1, [&](std::shared_ptr<comm::Comm> comm) { tiles = placed.settle(*comm); });
    std::vector<std::byte> contents(static_cast<std::size_t>(files.first->size() + files.second->size()));
    files.first->read_at(0, contents);
    files.second->read_at(0, base::MutableBytes(contents).subspan(static_cast<std::size_t>(files.first->size())));
    return std::pair(contents, tiles);
  };
  const auto forwards = encoded(false), backwards = encoded(true);
  EXPECT_EQ(forwards.first, backwards.first);
  ASSERT_EQ(forwards.second.size(), backwards.second.size());
  for (std::size_t k = 0; k < forwards.second.size(); ++k) {
    EXPECT_EQ(forwards.second[k].offset, backwards.second[k].offset);
    EXPECT_EQ(forwards.second[k].bytes, backwards.second[k].bytes);
  }
}

TEST(PlacedFile, SaysWhichTileIsDamaged) {
  const lq::testing::RunCodec codec;
  TwoFiles files;
  Payload payload = tiled();
  payload.encoding = "runs";
  for (Tile& tile : payload.tiles) tile.bytes = 2;
  files.first->write_at(100, sequence());
  PlacedFile placed("set", payload, &codec, files.both());
  std::vector<std::byte> buffer(8);
  const Error error = error_of([&] { placed.read_at(0, buffer); });
  EXPECT_EQ(error.code(), Code::malformed);
  EXPECT_NE(std::string(error.what()).find("tile 0, 2 bytes at byte 100"), std::string::npos) << error.what();
}

TEST(PlacedFile, NeedsTheCodecOfItsTiles) {
  Payload payload = tiled();
  payload.encoding = "runs";
  EXPECT_EQ(error_of([&] { PlacedFile("set", payload, nullptr, {}); }).code(), Code::unsupported);
}

// A codec that knows how often it was asked.
class CountingCodec final : public format::TileCodec {
 public:
  std::vector<std::byte> encode(base::Bytes sites) const override { return codec_.encode(sites); }
  void decode(base::Bytes encoded, base::MutableBytes sites) const override {
    ++decoded;
    codec_.decode(encoded, sites);
  }
  mutable int decoded = 0;

 private:
  lq::testing::RunCodec codec_;
};

// 8 x 6 x 4 sites of 8 bytes in blocks of 3 x 4 x 2, encoded.
Payload encoded_blocks() {
  Payload payload;
  payload.spec = generic_spec(Precision::single, 2, false);
  payload.extents = {8, 6, 4};
  payload.stored = whole(payload.extents);
  payload.block = {3, 4, 2};
  payload.tile_sites = 24;
  payload.encoding = "runs";
  payload.tiles.resize(3 * 2 * 2);
  return payload;
}

TEST(PlacedFile, DecodesABlockOnceThoughManyRowsPassThroughIt) {
  const CountingCodec codec;
  TwoFiles files;
  Payload payload = encoded_blocks();
  std::vector<std::byte> bytes(8 * 6 * 4 * 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i / 5);
  lq::testing::run_ranks(1, [&](std::shared_ptr<comm::Comm> comm) {
    PlacedFile placed("set", payload, &codec, files.both());
    placed.write_at(0, bytes);
    payload.tiles = placed.settle(*comm);
  });
  PlacedFile placed("set", payload, &codec, files.both());
  for (std::size_t row = 0; row < 24; ++row) {
    EXPECT_EQ(read(placed, row * 64, 64), std::vector(bytes.begin() + static_cast<std::ptrdiff_t>(row * 64),
                                                      bytes.begin() + static_cast<std::ptrdiff_t>(row * 64 + 64)));
  }
  EXPECT_EQ(codec.decoded, 12);
}

// Whatever a file says of its tiles, what is read of it is bounded by what it holds.
TEST(PlacedFile, RefusesEncodedTilesThatCannotBe) {
  const lq::testing::RunCodec codec;
  TwoFiles files;
  files.first->write_at(0, sequence());
  std::vector<std::byte> buffer(8);
  Payload payload = encoded_blocks();
  payload.tiles[0] = {0, 100, std::uint64_t{1} << 60};
  EXPECT_EQ(error_of([&] { PlacedFile("set", payload, &codec, files.both()).read_at(0, buffer); }).code(),
            Code::truncated);
  payload.tiles[0] = {0, ~std::uint64_t{0}, 8};
  EXPECT_EQ(error_of([&] { PlacedFile("set", payload, &codec, files.both()).read_at(0, buffer); }).code(),
            Code::truncated);
  payload.extents = {1 << 12, 1 << 12, 1 << 12};
  payload.stored = whole(payload.extents);
  payload.block = payload.extents;
  payload.tile_sites = volume(payload.block);
  payload.tiles = {{0, 0, 8}};
  EXPECT_EQ(error_of([&] { PlacedFile("set", payload, &codec, files.both()).read_at(0, buffer); }).code(),
            Code::too_large);
}

TEST(PlacedFile, RefusesTilesAndArraysThatDoNotAddUp) {
  TwoFiles files;
  Payload payload = tiled();
  payload.tiles.pop_back();
  EXPECT_EQ(error_of([&] { PlacedFile("set", payload, nullptr, files.both()); }).code(), Code::invalid_argument);
  payload = tiled();
  payload.arrays = 3;
  EXPECT_EQ(error_of([&] { PlacedFile("set", payload, nullptr, files.both()); }).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace lq::engine
