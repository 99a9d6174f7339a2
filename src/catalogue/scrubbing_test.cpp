// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue/scrubbing.hpp"

#include <limequat/error.hpp>

#include <gtest/gtest.h>

namespace lq::catalogue {
namespace {

const SeenSound before{.at = "2026-01-01T00:00:00Z", .size = 1000, .modified = 5, .cksum = 77};
constexpr FileStatus same{.size = 1000, .modified = 5, .device = 0, .inode = 0};
constexpr FileStatus written{.size = 1000, .modified = 6, .device = 0, .inode = 0};

TEST(ScrubVerdicts, TellBitRotFromReplacement) {
  EXPECT_EQ(judge(std::nullopt, same, 77, true).verdict, "sound");
  EXPECT_EQ(judge(std::nullopt, same, 77, false).verdict, "damaged");
  EXPECT_EQ(judge(before, same, 77, true).verdict, "sound");
  EXPECT_EQ(judge(before, same, 78, false).verdict, "bit rot");
  EXPECT_EQ(judge(before, same, 78, true).verdict, "bit rot");  // in a header, or without a checksum
  EXPECT_EQ(judge(before, written, 78, true).verdict, "replaced");
  EXPECT_EQ(judge(before, written, 78, false).verdict, "changed and damaged");
  EXPECT_EQ(judge(before, same, 77, false).verdict, "damaged");
  EXPECT_NE(judge(before, same, 78, false).sentence.find("2026-01-01"), std::string::npos);
}

TEST(ScrubIntervals, AreANumberAndAUnit) {
  EXPECT_EQ(seconds_of("30d"), 30 * 86400);
  EXPECT_EQ(seconds_of("12h"), 12 * 3600);
  EXPECT_EQ(seconds_of("2w"), 14 * 86400);
  EXPECT_EQ(seconds_of("0s"), 0);
  for (const char* wrong : {"", "d", "30", "30 d", "-1d", "3y", "99999999999999999999d", "2000000w"}) {
    EXPECT_THROW(seconds_of(wrong), Error) << wrong;
  }
}

}  // namespace
}  // namespace lq::catalogue
