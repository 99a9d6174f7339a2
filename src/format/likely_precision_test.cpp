// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/format.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>
#include <vector>

#include "base/bytes.hpp"

namespace lq::format {
namespace {

template <class Word, class Number>
std::optional<Precision> precision_of(std::size_t count, const std::function<Number(std::size_t)>& number) {
  std::vector<std::byte> bytes(count * sizeof(Word));
  for (std::size_t i = 0; i < count; ++i) base::store_be(&bytes[i * sizeof(Word)], std::bit_cast<Word>(number(i)));
  base::MemorySource file(bytes, "numbers");
  return likely_precision(file, 0, bytes.size(), ByteOrder::big);
}

TEST(LikelyPrecision, IsSeenInNumbersOfAnySize) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const double scale : {1e-12, 1e-3, 1.0, 1e3, 1e8}) {
    EXPECT_EQ((precision_of<std::uint64_t, double>(4096, [&](auto) { return scale * normal(random); })),
              Precision::double_);
    EXPECT_EQ(
        (precision_of<std::uint32_t, float>(4096, [&](auto) { return static_cast<float>(scale * normal(random)); })),
        Precision::single);
  }
}

TEST(LikelyPrecision, IsSeenInDoublesThatWereRoundedToSinglePrecision) {
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  EXPECT_EQ((precision_of<std::uint64_t, double>(
                4096, [&](auto) { return static_cast<double>(static_cast<float>(normal(random))); })),
            Precision::double_);
}

TEST(LikelyPrecision, IsNotGuessedFromZerosAndSmallIntegers) {
  EXPECT_FALSE((precision_of<std::uint64_t, double>(4096, [](auto) { return 0.0; })));
  EXPECT_FALSE((precision_of<std::uint64_t, double>(4096, [](std::size_t i) { return static_cast<double>(i % 7); })));
  EXPECT_FALSE(
      (precision_of<std::uint64_t, double>(8, [](std::size_t i) { return 1.0 / static_cast<double>(i + 3); })));
}

}  // namespace
}  // namespace lq::format
