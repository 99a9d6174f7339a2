// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limequat/sums.hpp>

#include <gtest/gtest.h>

namespace lq {
namespace {

TEST(Sums, AreFoundByKindAndExtentAndReplaced) {
  Sums sums;
  EXPECT_EQ(sums.checksum(), std::nullopt);
  EXPECT_TRUE(sums.slices().empty());
  sums.set({{SumKind::nersc}, {7}});
  sums.set_checksum({1, 2});
  sums.set_slices({{3, 4}, {5, 6}});
  sums.set_checksum({8, 9});
  EXPECT_EQ(sums.all.size(), 3U);
  EXPECT_EQ(sums.checksum(), (Checksum{8, 9}));
  EXPECT_EQ(sums.slices(), (std::vector<Checksum>{{3, 4}, {5, 6}}));
  EXPECT_EQ(sums.find({SumKind::nersc, SumOf::field})->words, std::vector<std::uint32_t>{7});
  EXPECT_EQ(sums.find({SumKind::nersc, SumOf::tiles}), nullptr);
}

TEST(Sums, AreToldInWords) {
  EXPECT_EQ(to_string(Sum{{SumKind::scidac}, {0xa2c41090, 0x11193c39}}), "a2c41090/11193c39");
  EXPECT_EQ(to_string(Sum{{SumKind::nersc}, {0x37f}}), "nersc 0000037f");
  EXPECT_EQ(to_string(Sum{{SumKind::weighted}, {0, 1, 2, 3}}), "weighted 00000000000000010000000200000003");
  EXPECT_EQ(to_string(Sum{{SumKind::crc32, SumOf::tiles}, {1, 2, 3}}), "crc32 of 3 tiles");
}

TEST(Sums, AreTheSameInAnyOrder) {
  Sums a, b;
  a.set_checksum({1, 2});
  a.set({{SumKind::nersc}, {7}});
  b.set({{SumKind::nersc}, {7}});
  EXPECT_NE(a, b);
  b.set_checksum({1, 2});
  EXPECT_EQ(a, b);
  EXPECT_EQ(to_string(a), "00000001/00000002, nersc 00000007");
  EXPECT_EQ(to_string(Sums{}), "none");
  b.set_checksum({1, 3});
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace lq
