// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/archive.hpp"

#include <gtest/gtest.h>

#include <limequat/error.hpp>

#include "format/lime/header.hpp"
#include "kernels/crc32.hpp"
#include "support/error_of.hpp"

namespace lq::archive {
namespace {

using testing::error_of;

Catalog conf(Extents extents, Precision precision, std::uint64_t offset) {
  Catalog catalog;
  catalog.path = "/data/conf.0010";
  catalog.format = "ildg";
  FieldEntry& entry = catalog.fields.emplace_back();
  Payload& payload = entry.payload;
  payload.spec = gauge_spec(precision);
  payload.extents = std::move(extents);
  if (payload.spec.links == 0) payload.spec.links = 4;
  payload.spec.numbers = 72;
  payload.stored = whole(payload.extents);
  payload.offset = offset;
  payload.length = payload.stored.volume() * payload.site_bytes();
  catalog.file_bytes = offset + payload.length + 100;
  return catalog;
}

Archive cut_one(const Catalog& catalog) { return cut(catalog, {catalog.file_bytes}); }

TEST(Archive, CutsAFileIntoWhatIsInTilesAndTheRest) {
  const Archive archive = cut_one(conf({24, 24, 24, 48}, Precision::double_, 1000));
  EXPECT_EQ(archive.name, "conf.0010");
  ASSERT_EQ(archive.segments.size(), 3U);
  EXPECT_EQ(archive.segments[0].length, 1000U);
  EXPECT_FALSE(archive.segments[0].is_squeezed());
  const Segment& data = archive.segments[1];
  EXPECT_EQ(data.begin, 1000U);
  EXPECT_EQ(data.length, 576U * 24 * 24 * 24 * 48);
  EXPECT_EQ(data.numbers, (Numbers{18, 8, true}));
  // Equal parts of a time slice, of whole sites, small enough for a cache.
  constexpr std::uint64_t slice = 576U * 24 * 24 * 24;
  EXPECT_EQ(slice % data.tile_bytes, 0U);
  EXPECT_EQ(data.tile_bytes % 576, 0U);
  EXPECT_LE(data.tile_bytes, 768U * 1024);
  EXPECT_EQ(archive.segments[2].length, 100U);
}

TEST(Archive, PutsSmallSlicesTogether) {
  const Archive archive = cut_one(conf({4, 4, 4, 8}, Precision::single, 0));
  ASSERT_EQ(archive.segments.size(), 2U);
  EXPECT_EQ(archive.segments[0].tile_bytes % (288U * 64), 0U);
  EXPECT_EQ(archive.segments[0].numbers, (Numbers{18, 4, true}));
}

TEST(Archive, OfAFileWithoutAFieldInOnePieceIsRefused) {
  Catalog catalog = conf({4, 4, 4, 8}, Precision::single, 0);
  catalog.fields[0].payload.tile_sites = 16;
  EXPECT_EQ(error_of([&] { (void)cut_one(catalog); }).code(), Code::unsupported);
  catalog.fields.clear();
  EXPECT_EQ(error_of([&] { (void)cut_one(catalog); }).code(), Code::unsupported);
}

// Section 3.3 of formats/squeezed.md, number by number.
TEST(Archive, IndexHasTheBytesOfItsPage) {
  Archive archive;
  archive.bytes = 5 + 300;
  archive.segments = {{.begin = 0, .length = 5, .place = 0x120, .crc = 0x11223344},
                      {.begin = 5,
                       .length = 300,
                       .place = 0x200,
                       .tile_bytes = 200,
                       .numbers = {12, 4, false},
                       .tiles = {{0, 0x200, 77}, {0, 0x200 + 77, 33}}}};
  const std::vector<std::byte> bytes = encode_index(archive);
  const std::vector<std::uint64_t> words{1, 2, 5, 0x120, 0x11223344, 0, 0, 0, 300, 0x200, 0, 200, 0x0c0400, 2, 77, 33};
  ASSERT_EQ(bytes.size(), 8 * words.size() + 4);
  for (std::size_t k = 0; k < words.size(); ++k) {
    EXPECT_EQ(base::load_be<std::uint64_t>(&bytes[8 * k]), words[k]) << k;
  }
  EXPECT_EQ(base::load_be<std::uint32_t>(&bytes[8 * words.size()]),
            kernels::crc32(0, base::Bytes(bytes).first(8 * words.size())));

  Archive again;
  again.bytes = archive.bytes;
  decode_index(bytes, 0, 0x1000, again);
  ASSERT_EQ(again.segments.size(), 2U);
  EXPECT_EQ(again.segments[1].tiles, archive.segments[1].tiles);
  EXPECT_EQ(again.segments[1].numbers, archive.segments[1].numbers);
  EXPECT_EQ(again.segments[1].begin, 5U);
}

// Every number of an index that is another one, with a right sum: refused, or read as what it says; never followed
// beyond the file.
TEST(Archive, HostileIndexesAreRefused) {
  Archive archive;
  archive.bytes = 305;
  archive.segments = {{.begin = 0, .length = 5, .place = 0x120, .crc = 1},
                      {.begin = 5,
                       .length = 300,
                       .place = 0x200,
                       .tile_bytes = 200,
                       .numbers = {18, 8, true},
                       .tiles = {{0, 0x200, 77}, {0, 0x200 + 77, 33}}}};
  const std::vector<std::byte> good = encode_index(archive);
  for (std::size_t word = 0; word < good.size() / 8; ++word) {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
      std::vector<std::byte> bytes = good;
      base::store_be(&bytes[8 * word], value);
      const std::size_t summed = bytes.size() - 4;
      base::store_be(&bytes[summed], kernels::crc32(0, base::Bytes(bytes).first(summed)));
      Archive again;
      again.bytes = archive.bytes;
      try {
        decode_index(bytes, 0, 0x400, again);
        for (const Segment& segment : again.segments) {
          EXPECT_LE(segment.place + segment.stored_bytes(), 0x400U);
          EXPECT_LE(segment.tile_bytes, largest_tile);
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::malformed);
      }
    }
  }
  std::vector<std::byte> cut_short(good.begin(), good.end() - 8);
  Archive again;
  EXPECT_EQ(error_of([&] { decode_index(cut_short, 0, 0x400, again); }).code(), Code::malformed);
}

TEST(Archive, RecordsAreThoseOfALimeFile) {
  const auto frame = frame_of(type::index, place_behind(1000), 13);
  ASSERT_EQ(frame.size(), 2U);
  EXPECT_EQ(frame[0].offset, 1000U);
  format::lime::HeaderBytes bytes{};
  std::ranges::copy(frame[0].bytes, bytes.begin());
  EXPECT_EQ(format::lime::decode(bytes).type, type::index);
  EXPECT_EQ(format::lime::decode(bytes).data_length, 13U);
  EXPECT_EQ(frame[1].offset, 1000U + 144 + 13);
  EXPECT_EQ(frame[1].bytes.size(), 3U);
  EXPECT_EQ(end_of(place_behind(1000), 13), 1000U + 144 + 16);
}

}  // namespace
}  // namespace lq::archive
