// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Words of a mode string, and the environment.
#include "multifile/mode.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace lq::multifile {
namespace {

TEST(Mode, WordsSayHowToOpen) {
  for (const char* words : {"r", "rb", "br"}) EXPECT_EQ(parse_mode(words).direction, Direction::read);
  for (const char* words : {"w", "wb", "bw"}) EXPECT_EQ(parse_mode(words).direction, Direction::write);
  for (const char* words : {"", "a", "w+", "r+", "rw"}) EXPECT_EQ(parse_mode(words).direction, Direction::none);
}

TEST(Mode, TheLastOfContradictingWordsWinsAndUnknownOnesAreIgnored) {
  EXPECT_EQ(parse_mode("bw").access, Access::stdio);
  EXPECT_EQ(parse_mode("bw,posix").access, Access::descriptors);
  EXPECT_EQ(parse_mode("posix,bw,ansi,buffered,compress,hm=7").access, Access::stdio);
}

TEST(Mode, KeysMayBeAskedForInAllWaysThatProgramsKnow) {
  for (const char* words : {"bw,keyval", "bw,keyval=inline", "keyval=default,bw"}) {
    EXPECT_EQ(parse_mode(words).keys, KeyRequest::inline_records) << words;
  }
  EXPECT_EQ(parse_mode("br,keyval=none").keys, KeyRequest::none);
  EXPECT_EQ(parse_mode("br,keyval=unknown").keys, KeyRequest::any);
  EXPECT_FALSE(parse_mode("br,keyval=hash").keys.has_value());
  EXPECT_FALSE(parse_mode("br").keys.has_value());
}

TEST(Mode, CollectorsAreWishedForByTasksEach) {
  EXPECT_FALSE(parse_mode("bw,collsize=4").collectors.on);
  EXPECT_TRUE(parse_mode("bw,collective").collectors.on);
  EXPECT_EQ(parse_mode("bw,collective,collsize=4").collectors.tasks_each, 4);
  EXPECT_EQ(parse_mode("bw,collective,collsize=-1").collectors.tasks_each, 0);
  EXPECT_FALSE(parse_mode("bw,collective,collsize=0").collectors.on);
  EXPECT_TRUE(parse_mode("bw,cmerge").merges);
}

TEST(Mode, BuddiesAndOrders) {
  EXPECT_EQ(parse_mode("bw,buddy").buddies, 1);
  EXPECT_EQ(parse_mode("bw,buddy=3").buddies, 3);
  EXPECT_EQ(parse_mode("bw").buddies, 0);
  EXPECT_EQ(parse_mode("bw,endianness=big").data_order, ByteOrder::big);
  EXPECT_EQ(parse_mode("bw,endianness=little").data_order, ByteOrder::little);
}

TEST(Mode, TheEnvironmentSpeaksUp) {
  ::setenv("SION_COLLSIZE", "0", 1);
  EXPECT_FALSE(with_environment(parse_mode("bw,collective")).collectors.on);
  ::setenv("SION_COLLSIZE", "3", 1);
  EXPECT_EQ(with_environment(parse_mode("bw")).collectors.tasks_each_of(8), 3);
  EXPECT_EQ(with_environment(parse_mode("bw")).collectors.tasks_each_of(2), 2);
  ::unsetenv("SION_COLLSIZE");
  ::setenv("SION_COLLNUM", "3", 1);
  EXPECT_EQ(with_environment(parse_mode("bw")).collectors.tasks_each_of(8), 3);
  ::unsetenv("SION_COLLNUM");
  ::setenv("SION_KEYVALUE_MODE", "inline", 1);
  EXPECT_EQ(with_environment(parse_mode("bw")).keys, KeyRequest::inline_records);
  EXPECT_EQ(with_environment(parse_mode("bw,keyval=none")).keys, KeyRequest::none);
  ::unsetenv("SION_KEYVALUE_MODE");
  ::setenv("LSION_COLLSIZE", "2", 1);
  EXPECT_EQ(with_environment(parse_mode("bw")).collectors.tasks_each_of(8), 2);
  ::setenv("SION_COLLSIZE", "3", 1);
  EXPECT_EQ(with_environment(parse_mode("bw")).collectors.tasks_each_of(8), 3);
  ::unsetenv("LSION_COLLSIZE");
  ::unsetenv("SION_COLLSIZE");
  ::setenv("SION_BUFFERSIZE", "-1", 1);
  EXPECT_EQ(with_environment(parse_mode("bw")).buffer_bytes, -1);
  ::unsetenv("SION_BUFFERSIZE");
}

}  // namespace
}  // namespace lq::multifile
