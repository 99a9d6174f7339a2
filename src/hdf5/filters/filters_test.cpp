// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Against the HDF5 library, which applies and undoes the same filters.
#include "hdf5/filters/filters.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "hdf5/driver/driver.hpp"
#include "hdf5/driver/library.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::size_t number_count = 1000;

std::vector<double> smooth_numbers() {
  std::vector<double> values(number_count);
  for (std::size_t i = 0; i < number_count; ++i)
    values[i] = std::round(1000 * std::sin(static_cast<double>(i) / 50)) / 8;
  return values;
}

struct Chosen {
  bool shuffle = false;
  int deflate = -1;
  bool fletcher = false;
  std::string encoding;
};

// A dataset of one chunk with these filters.
Handle create_filtered(hid_t file, const Chosen& chosen) {
  const hsize_t extent = number_count;
  const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(list.get(), 1, &extent);
  if (chosen.shuffle) H5Pset_shuffle(list.get());
  if (chosen.deflate >= 0) H5Pset_deflate(list.get(), static_cast<unsigned>(chosen.deflate));
  if (chosen.fletcher) H5Pset_fletcher32(list.get());
  return {H5Dcreate2(file, "d", H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Dclose};
}

std::vector<Chosen> choices() {
  return {{true, -1, false, "shuffle:8"},
          {false, -1, true, "fletcher32"},
          {false, 4, false, "deflate:4"},
          {true, 6, true, "shuffle:8,deflate:6,fletcher32"}};
}

TEST(Hdf5Filters, UndoWhatTheLibraryDid) {
  const Lock lock;
  const auto values = smooth_numbers();
  for (const Chosen& chosen : choices()) {
    Image image("filtered.h5");
    const Handle file = create_in(image);
    const Handle data = create_filtered(file.get(), chosen);
    ASSERT_GE(H5Dwrite(data.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    ASSERT_GE(H5Fflush(file.get(), H5F_SCOPE_LOCAL), 0);
    hsize_t bytes = 0;
    const hsize_t first = 0;
    ASSERT_GE(H5Dget_chunk_storage_size(data.get(), &first, &bytes), 0);
    std::vector<std::byte> encoded(bytes);
    std::uint32_t mask = 0;
    ASSERT_GE(read_chunk(data.get(), &first, mask, encoded.data()), 0);
    const format::TileCodec* codec = tile_codec(chosen.encoding);
    if (codec == nullptr && tile_codec("deflate:4") == nullptr) GTEST_SKIP() << "built without libdeflate";
    ASSERT_NE(codec, nullptr) << chosen.encoding;
    std::vector<double> back(number_count);
    codec->decode(encoded, std::as_writable_bytes(std::span(back)));
    EXPECT_EQ(back, values) << chosen.encoding;
  }
}

TEST(Hdf5Filters, AreUndoneByTheLibrary) {
  const Lock lock;
  const auto values = smooth_numbers();
  for (const Chosen& chosen : choices()) {
    Image image("filtered.h5");
    const Handle file = create_in(image);
    const Handle data = create_filtered(file.get(), chosen);
    if (tile_codec("deflate:4") == nullptr) GTEST_SKIP() << "built without libdeflate";
    const auto encoded = tile_codec(chosen.encoding)->encode(std::as_bytes(std::span(values)));
    const hsize_t first = 0;
    ASSERT_GE(H5Dwrite_chunk(data.get(), H5P_DEFAULT, 0, &first, encoded.size(), encoded.data()), 0);
    std::vector<double> back(number_count);
    ASSERT_GE(H5Dread(data.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back.data()), 0);
    EXPECT_EQ(back, values) << chosen.encoding;
  }
}

// Of any length, whole elements or not.
TEST(Hdf5Filters, BringBackWhatTheyWereGiven) {
  std::mt19937 random(5);
  for (const char* encoding : {"shuffle:16,deflate:1,fletcher32", "deflate:9,shuffle:3", "fletcher32,fletcher32",
                               "deflate:0,deflate:6", "shuffle:4,zstd:3", "zstd:1,deflate:2,fletcher32"}) {
    const format::TileCodec* codec = tile_codec(encoding);
    if (codec == nullptr) continue;  // built without a library
    for (const std::size_t size : {1U, 2U, 15U, 16U, 721U, 100000U}) {
      std::vector<std::byte> sites(size), back(size);
      for (std::byte& b : sites) b = static_cast<std::byte>(random());
      codec->decode(codec->encode(sites), back);
      EXPECT_EQ(back, sites) << encoding;
    }
  }
}

TEST(Hdf5Filters, DamagedChunksAreMalformed) {
  std::vector<std::byte> sites(4096), back(4096);
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i] = static_cast<std::byte>(i / 64);
  const format::TileCodec* codec = tile_codec("shuffle:8,deflate:6,fletcher32");
  if (codec == nullptr) GTEST_SKIP() << "built without libdeflate";
  const auto encoded = codec->encode(sites);
  const auto refuses = [&](base::Bytes bytes, std::size_t wanted) {
    try {
      codec->decode(bytes, base::MutableBytes(back).first(wanted));
      return false;
    } catch (const Error& error) {
      return error.code() == Code::malformed;
    }
  };
  EXPECT_FALSE(refuses(encoded, 4096));
  EXPECT_TRUE(refuses(encoded, 4095));
  EXPECT_TRUE(refuses({}, 4096));
  EXPECT_TRUE(refuses(std::vector<std::byte>(10'000), 4096));
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    auto changed = encoded;
    changed[i] ^= std::byte{1};
    EXPECT_TRUE(refuses(changed, 4096)) << i;
  }
  for (std::size_t length = 0; length < encoded.size(); ++length) {
    EXPECT_TRUE(refuses(base::Bytes(encoded).first(length), 4096)) << length;
  }
}

TEST(Hdf5Filters, ThatAreNotKnownAreNamed) {
  EXPECT_EQ(encoding_of({{.id = 2, .name = "", .parameters = {8}}, {.id = 32000, .name = "lzf"}}, 8), "shuffle:8,lzf");
  EXPECT_EQ(encoding_of({{.id = 4242}}, 8), "filter-4242");
  for (const char* encoding :
       {"", "lzf", "shuffle:8,lzf", "shuffle", "shuffle:0", "deflate:10", "deflate:x", "fletcher32:1", "deflate:6,"}) {
    EXPECT_EQ(tile_codec(encoding), nullptr) << encoding;
  }
  EXPECT_EQ(tile_codec("shuffle:8"), tile_codec("shuffle:8"));
}

// By hand: words 0x0102 and 0x0304, then 0x0500.
TEST(Hdf5Filters, FletcherOfAFewBytes) {
  const std::array<std::byte, 5> bytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};
  EXPECT_EQ(fletcher32(base::Bytes(bytes).first(2)), 0x01020102U);
  EXPECT_EQ(fletcher32(base::Bytes(bytes).first(4)), 0x05080406U);
  EXPECT_EQ(fletcher32(bytes), 0x0e0e0906U);
}

}  // namespace
}  // namespace lq::hdf5
