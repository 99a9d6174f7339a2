// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers as text against printf and strtod, and tiles against words counted one by one.
#include "format/raw/raw_format.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <limequat/error.hpp>

#include "base/bytes.hpp"

namespace lq::format::raw {
namespace {

constexpr const char* site_order = "t z y x mu row column reim";

std::vector<double> numbers_of_all_sizes() {
  std::vector<double> numbers{0.0, -0.0, 1.0, -1.0, 0.1, std::numeric_limits<double>::max()};
  std::mt19937_64 random(5);
  while (numbers.size() < 2000) {
    const double x = std::bit_cast<double>(random());
    if (std::isfinite(x)) numbers.push_back(x);
  }
  numbers.push_back(std::numeric_limits<double>::min() * 1.5);
  return numbers;
}

std::vector<std::byte> bytes_of(const std::vector<double>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * 8);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    base::store_be(bytes.data() + 8 * k, std::bit_cast<std::uint64_t>(numbers[k]));
  }
  return bytes;
}

Payload links(const Extents& extents, const char* order, std::uint64_t offset = 0) {
  Payload payload;
  payload.spec = gauge_spec(Precision::double_, 3, 4);
  payload.spec.numbers = 72;
  payload.extents = extents;
  payload.offset = offset;
  order_axes(payload, order, 1);
  return payload;
}

Code code_of_finding(const std::string& text) {
  base::MemorySource source(base::as_bytes(text), "text");
  Payload payload = links({1, 1, 1, 2}, site_order);
  try {
    (void)find_text(payload, source);
  } catch (const Error& error) {
    return error.code();
  }
  return Code::ok;
}

TEST(TextNumbers, AreThoseOfPrintfAndComeBackBitForBit) {
  const std::vector<double> numbers = numbers_of_all_sizes();
  const std::vector<std::byte> bytes = bytes_of(numbers);
  const TileCodec& codec = *text_codec("text-double");
  const std::vector<std::byte> text = codec.encode(bytes);
  std::string expected;
  for (const double x : numbers) {
    char line[64];
    std::snprintf(line, sizeof line, "%.16e\n", x);
    expected += line;
  }
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(text.data()), text.size()), expected);
  EXPECT_LE(text.size(), codec.most_bytes(bytes.size()));
  std::vector<std::byte> back(bytes.size());
  codec.decode(text, back);
  EXPECT_EQ(back, bytes);
}

TEST(TextNumbers, OfSinglePrecisionComeBackBitForBit) {
  std::mt19937 random(6);
  std::vector<std::byte> bytes(4 * 2000);
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t bits = static_cast<std::uint32_t>(random());
    if ((bits >> 23 & 0xff) == 0xff) bits = 0x80000000;
    base::store_be(bytes.data() + at, bits);
  }
  const TileCodec& codec = *text_codec("text-single");
  const std::vector<std::byte> text = codec.encode(bytes);
  EXPECT_LE(text.size(), codec.most_bytes(bytes.size()));
  std::vector<std::byte> back(bytes.size());
  codec.decode(text, back);
  EXPECT_EQ(back, bytes);
}

TEST(TextNumbers, ThatAreNoneOrTooManyAreRefused) {
  for (const char* text : {"1 half 2", "1 2", "1 2 3 4", "", "1 2 3d0", "1 2 1e999", "1,2,3"}) {
    std::vector<std::byte> sites(24);
    try {
      text_codec("text-double")->decode(base::as_bytes(text), sites);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::malformed) << error.what();
    }
  }
  std::vector<std::byte> one(4);
  EXPECT_THROW(text_codec("text-single")->decode(base::as_bytes("1e99"), one), Error);
  EXPECT_EQ(text_codec("shuffle"), nullptr);
}

TEST(TextNumbers, AreFoundWhateverStandsBetweenThem) {
  for (const char* order : {site_order, "mu t z y x row column reim"}) {
    const Extents extents{4, 4, 4, 10};
    Payload payload = links(extents, order, 3);
    const std::uint64_t of_array = 640 * 72 / payload.arrays;
    std::string text = "#1\n";
    std::vector<std::uint64_t> begins;
    std::mt19937 random(7);
    for (std::uint64_t k = 0; k < 640 * 72; ++k) {
      begins.push_back(text.size());
      text += std::to_string(random() % 1000) + std::string(1 + random() % 3, " \n\t\r"[random() % 4]);
    }
    const std::uint64_t all = text.size();
    for (const bool goes_on : {false, true}) {
      if (goes_on) text += "7";
      base::MemorySource source(base::as_bytes(text), "text");
      const std::uint64_t end = find_text(payload, source);
      EXPECT_EQ(end, goes_on ? text.find_last_not_of(" \n\t\r", all - 1) + 1 : all);
      const std::uint64_t per_tile = payload.tile_sites * 72 / payload.arrays;
      ASSERT_EQ(payload.tiles.size(), (of_array + per_tile - 1) / per_tile * payload.arrays);
      ASSERT_GT(payload.tiles.size(), payload.arrays);
      std::size_t tile = 0;
      for (std::uint64_t array = 0; array < payload.arrays; ++array) {
        for (std::uint64_t k = 0; k < of_array; k += per_tile) {
          EXPECT_EQ(payload.tiles[tile].offset, begins[array * of_array + k]);
          std::vector<std::byte> sites(std::min(per_tile, of_array - k) * 8);
          const std::string_view own =
              std::string_view(text).substr(payload.tiles[tile].offset, payload.tiles[tile].bytes);
          text_codec(payload.encoding)->decode(base::as_bytes(own), sites);
          EXPECT_EQ(std::bit_cast<double>(base::load_be<std::uint64_t>(sites.data())),
                    std::strtod(own.data(), nullptr));
          ++tile;
        }
      }
    }
  }
}

TEST(TextNumbers, ThatAreTooFewOrTooLongAreSaid) {
  std::string text;
  for (int k = 0; k < 143; ++k) text += "1\n";
  EXPECT_EQ(code_of_finding(text), Code::truncated);
  EXPECT_EQ(code_of_finding(""), Code::truncated);
  EXPECT_EQ(code_of_finding(text + "1"), Code::ok);
  EXPECT_EQ(code_of_finding(text + "0." + std::string(20000, '3')), Code::malformed);
  EXPECT_EQ(code_of_finding(text + std::string(20000, '\n') + "1"), Code::malformed);
}

}  // namespace
}  // namespace lq::format::raw
