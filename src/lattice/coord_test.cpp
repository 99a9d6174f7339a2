// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Coordinates and boxes.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include <limequat/error.hpp>
#include <limequat/lattice.hpp>

#include "support/error_of.hpp"

namespace lq {
namespace {

using testing::error_of;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

TEST(Coord, HoldsUpToEightNumbers) {
  const Coord coord{1, -2, 3};
  EXPECT_EQ(coord.size(), 3);
  EXPECT_EQ(coord[1], -2);
  EXPECT_EQ(coord, Coord({1, -2, 3}));
  EXPECT_NE(coord, Coord({1, -2, 3, 0}));
  EXPECT_EQ(error_of([] { Coord({1, 2, 3, 4, 5, 6, 7, 8, 9}); }).code(), Code::invalid_argument);
}

TEST(Coord, FilledHasOneValueInAllDimensions) {
  EXPECT_EQ(Coord::filled(3, 7), Coord({7, 7, 7}));
  EXPECT_EQ(error_of([] { Coord::filled(9, 1); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([] { Coord::filled(-1, 1); }).code(), Code::invalid_argument);
}

TEST(Volume, IsTheProductIn64Bits) {
  EXPECT_EQ(volume({8, 8, 8, 16}), 8192u);
  EXPECT_EQ(volume({65536, 65536, 65536, 32767}), 32767ull << 48);
  EXPECT_EQ(volume({largest}), static_cast<std::uint64_t>(largest));
}

TEST(Volume, RefusesWhatDoesNotFit63Bits) {
  EXPECT_EQ(error_of([] { volume({65536, 65536, 65536, 32768}); }).code(), Code::too_large);
  EXPECT_EQ(error_of([] { volume({largest, largest, largest}); }).code(), Code::too_large);
  EXPECT_EQ(error_of([] { volume({4, -1}); }).code(), Code::invalid_argument);
}

TEST(Volume, IsZeroForAnyExtentOfZeroAndForNoDimensions) {
  EXPECT_EQ(volume({largest, largest, 0}), 0u);
  EXPECT_EQ(volume(Extents()), 0u);
  EXPECT_TRUE(Box().empty());
}

TEST(ExtentsText, GoesThereAndBack) {
  EXPECT_EQ(to_string(Extents{8, 8, 8, 16}), "8x8x8x16");
  EXPECT_EQ(site_text({1, 2, 3, 14}), "1,2,3,14");
  EXPECT_EQ(parse_extents("8x8x8x16"), Extents({8, 8, 8, 16}));
  EXPECT_EQ(parse_extents("9223372036854775807"), Extents({largest}));
}

TEST(ExtentsText, IsReadAsPeopleWriteIt) {
  for (const std::string text : {"4X6X2X8", "4,6,2,8"}) EXPECT_EQ(parse_extents(text), Extents({4, 6, 2, 8})) << text;
}

TEST(ExtentsText, RefusesEverythingButPositiveIntegersJoinedByX) {
  const std::vector<std::string> texts{"",
                                       "x",
                                       "8x",
                                       "x8",
                                       "8xx8",
                                       "8x8 ",
                                       " 8",
                                       "8x0",
                                       "-8x8",
                                       "+8",
                                       "8.0",
                                       "8,,8",
                                       "8,",
                                       "8x8\n",
                                       "0x10",
                                       std::string("8\0", 2),
                                       "1x1x1x1x1x1x1x1x1",
                                       "9223372036854775808",
                                       std::string(100000, '9'),
                                       std::string(100000, 'x')};
  for (const std::string& text : texts) {
    EXPECT_EQ(error_of([&] { parse_extents(text); }).code(), Code::invalid_argument) << text.substr(0, 40);
  }
}

TEST(ExtentsText, ErrorNamesTheTextInPrintableForm) {
  const Error error = error_of([] { parse_extents("8x\x01y"); });
  EXPECT_EQ(error.facts().found, "8x\\x01y");
  EXPECT_NE(std::string(error.what()).find("8x\\x01y"), std::string::npos);
  EXPECT_LT(std::string(error_of([] { parse_extents(std::string(100000, '9')); }).what()).size(), 400u);
}

TEST(Box, ContainsItsLowerEndButNotItsUpper) {
  const Box box{{2, 3}, {4, 1}};
  EXPECT_TRUE(box.contains({2, 3}));
  EXPECT_TRUE(box.contains({5, 3}));
  EXPECT_FALSE(box.contains({6, 3}));
  EXPECT_FALSE(box.contains({2, 4}));
  EXPECT_FALSE(box.contains({1, 3}));
  EXPECT_FALSE(box.contains({2, 3, 0}));
}

TEST(Box, IsRightAtTheEndsOf64Bits) {
  const Box high{{largest - 1}, {largest}};
  EXPECT_TRUE(high.contains({largest}));
  EXPECT_FALSE(high.contains({lowest}));
  const Box low{{lowest}, {2}};
  EXPECT_TRUE(low.contains({lowest + 1}));
  EXPECT_FALSE(low.contains({largest}));
  EXPECT_TRUE(intersect(high, low).empty());
}

TEST(Box, IntersectionIsWhatBothContain) {
  EXPECT_EQ(intersect({{0, 0}, {4, 4}}, {{2, -1}, {8, 3}}), (Box{{2, 0}, {2, 2}}));
  EXPECT_EQ(intersect(whole({4, 4}), whole({4, 4})), whole({4, 4}));
  EXPECT_EQ(intersect({{0, 0}, {4, 4}}, {{4, 0}, {4, 4}}), (Box{{0, 0}, {0, 0}}));
  EXPECT_EQ(error_of([] { intersect(whole({4}), whole({4, 4})); }).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace lq
