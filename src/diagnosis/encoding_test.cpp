// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/encoding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lq::diagnosis {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// One link of SU(2) in single precision: 1 and -2 are 0x3f800000 and 0xc0000000.
TEST(Encoding, TakesBytesInTheirOrder) {
  Encoding encoding{.colors = 2, .links = 1, .precision = Precision::single};
  std::vector<std::byte> site(32);
  const auto big = bytes_of({0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0});
  std::ranges::copy(big, site.begin());
  std::vector<double> numbers(8);
  decode(encoding, site, numbers);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[1], -2);
  encoding.imaginary_first = true;
  decode(encoding, site, numbers);
  EXPECT_EQ(numbers[0], -2);
  EXPECT_EQ(numbers[1], 1);
  encoding.imaginary_first = false;
  encoding.axes = {Axis::site, Axis::link, Axis::part, Axis::row, Axis::column};
  decode(encoding, site, numbers);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[2], -2);
  encoding.byte_order = ByteOrder::little;
  const auto little = bytes_of({0, 0, 0x80, 0x3f});
  std::ranges::copy(little, site.begin());
  decode(encoding, site, numbers);
  EXPECT_EQ(numbers[0], 1);
}

// 1 in double precision is 0x3ff0000000000000.
TEST(Encoding, PutsExchangedWordsBack) {
  Encoding encoding{.colors = 2, .links = 1, .halves_exchanged = true};
  std::vector<std::byte> site(64);
  const auto exchanged = bytes_of({0, 0, 0, 0, 0x3f, 0xf0, 0, 0});
  std::ranges::copy(exchanged, site.begin());
  std::vector<double> numbers(8);
  decode(encoding, site, numbers);
  EXPECT_EQ(numbers[0], 1);
  encoding.byte_order = ByteOrder::little;
  const auto swapped_as_words = bytes_of({0, 0, 0xf0, 0x3f, 0, 0, 0, 0});
  std::ranges::copy(swapped_as_words, site.begin());
  decode(encoding, site, numbers);
  EXPECT_EQ(numbers[0], 1);
}

TEST(Encoding, EncodesWhatItDecodesInEveryOrderOfTheAxes) {
  std::vector<std::byte> site;
  for (int k = 0; k < 4 * 18 * 8; ++k) site.push_back(static_cast<std::byte>(k % 61));
  // Five axes, of which two are in one order.
  ASSERT_EQ(all_axes().size(), 60U);
  EXPECT_EQ(all_axes().front(), natural_axes);
  for (const Axes& axes : all_axes()) {
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
      const Encoding one{.byte_order = order, .axes = axes};
      std::vector<double> numbers(4 * one.numbers());
      std::vector<std::byte> again(static_cast<std::size_t>(one.site_bytes()));
      decode(one, site, numbers);
      encode(one, numbers, again);
      EXPECT_TRUE(std::ranges::equal(site, again));
    }
  }
}

}  // namespace
}  // namespace lq::diagnosis
