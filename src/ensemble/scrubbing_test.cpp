// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/ensemble.hpp"

#include <limequat/error.hpp>

#include <gtest/gtest.h>

namespace lq::ensemble {
namespace {

FileStatus stamp(std::int64_t modified) {
  FileStatus status;
  status.size = 1000;
  status.modified = modified;
  return status;
}

std::vector<SummedFile> one(std::int64_t modified, std::uint32_t cksum) { return {{"conf", stamp(modified), cksum}}; }

const SoundState before{.at = "2026-01-01T00:00:00Z", .files = one(5, 77)};

TEST(ScrubVerdicts, TellBitRotFromReplacement) {
  EXPECT_EQ(judge(std::nullopt, one(5, 77), Verdict::sound).verdict, "sound");
  EXPECT_EQ(judge(std::nullopt, one(5, 77), Verdict::damaged).verdict, "damaged");
  EXPECT_EQ(judge(before, one(5, 77), Verdict::sound).verdict, "sound");
  EXPECT_EQ(judge(before, one(5, 78), Verdict::damaged).verdict, "bit rot");
  EXPECT_EQ(judge(before, one(5, 78), Verdict::consistent).verdict, "bit rot");  // in a header, or without a checksum
  EXPECT_EQ(judge(before, one(6, 78), Verdict::sound).verdict, "replaced");
  EXPECT_EQ(judge(before, one(6, 78), Verdict::consistent).verdict, "replaced");
  EXPECT_EQ(judge(before, one(6, 78), Verdict::damaged).verdict, "changed and damaged");
  EXPECT_EQ(judge(before, one(5, 77), Verdict::damaged).verdict, "damaged");
  EXPECT_NE(judge(before, one(5, 78), Verdict::damaged).sentence.find("2026-01-01"), std::string::npos);
}

TEST(ScrubVerdicts, AreThoseOfTheVerificationWhereNothingElseIsKnown) {
  for (const Verdict verdict :
       {Verdict::sound, Verdict::consistent, Verdict::unproven, Verdict::damaged, Verdict::incomplete}) {
    EXPECT_EQ(judge(std::nullopt, one(5, 77), verdict).verdict, name(verdict));
    EXPECT_EQ(judge(before, one(5, 77), verdict).verdict, name(verdict));
  }
  EXPECT_EQ(judge(before, one(6, 78), Verdict::incomplete).verdict, "incomplete");
}

// Whichever of several files it is.
TEST(ScrubVerdicts, SeeTheRotOfEveryFileOfAnEntry) {
  const std::vector<SummedFile> files = {{"set", stamp(5), 1}, {"set.0", stamp(5), 2}, {"set.1", stamp(5), 3}};
  const SoundState seen{.at = "2026-01-01T00:00:00Z", .files = files};
  EXPECT_EQ(judge(seen, files, Verdict::consistent).verdict, "consistent");
  for (std::size_t k = 0; k < files.size(); ++k) {
    std::vector<SummedFile> seen_now = files;
    seen_now[k].cksum ^= 1;
    const Judged judged = judge(seen, seen_now, Verdict::consistent);
    EXPECT_EQ(judged.verdict, "bit rot");
    EXPECT_EQ(judged.sentence.rfind(files[k].path + ": ", 0), 0U) << judged.sentence;
    seen_now[k].status.modified = 6;
    EXPECT_EQ(judge(seen, seen_now, Verdict::consistent).verdict, "replaced");
  }
  EXPECT_EQ(judge(seen, {files[0], files[1]}, Verdict::damaged).verdict, "changed and damaged");
  // An earlier version kept the sum of the first file alone.
  EXPECT_EQ(judge(SoundState{.at = seen.at, .files = {files[0]}}, files, Verdict::consistent).verdict, "consistent");
}

// Files that were exchanged by their names may have equal sizes and time stamps.
TEST(ScrubVerdicts, TellAnotherFileOfTheSameStampFromRot) {
  SoundState seen{.at = "2026-01-01T00:00:00Z", .files = one(5, 77)};
  seen.files[0].status.inode = 11;
  std::vector<SummedFile> seen_now = one(5, 78);
  seen_now[0].status.inode = 11;
  EXPECT_EQ(judge(seen, seen_now, Verdict::sound).verdict, "bit rot");
  seen_now[0].status.inode = 12;
  EXPECT_EQ(judge(seen, seen_now, Verdict::sound).verdict, "replaced");
  EXPECT_EQ(judge(seen, seen_now, Verdict::damaged).verdict, "bit rot");
  EXPECT_EQ(judge(before, seen_now, Verdict::sound).verdict, "bit rot");  // an earlier version kept no inode
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
}  // namespace lq::ensemble
