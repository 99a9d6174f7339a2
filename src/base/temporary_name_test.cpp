// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/path.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

namespace lq::base {
namespace {

TEST(PlainPath, IsOneSpellingOfAPlace) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(plain_path("/a/./b/../c//d"), "/a/c/d");
  for (const char* spelled : {"a", "./a", "b/../a", ".//a"}) EXPECT_EQ(plain_path(spelled), here + "/a") << spelled;
  EXPECT_EQ(plain_path("/a/b c"), "/a/b c");
  EXPECT_NE(plain_path("/a/b"), plain_path("/a/B"));
}

TEST(TemporaryNames, HaveADotBeforeThemAndANumberBehind) {
  EXPECT_EQ(temporary_name("conf.0010.ildg", 0x1a2b3c4d), ".conf.0010.ildg.1a2b3c4d");
  EXPECT_EQ(temporary_name("/data.d/run/conf", 0xc), "/data.d/run/.conf.0000000c");
  EXPECT_EQ(temporary_names("d/a", 1)[1], "d/a.00000001.part");
}

// GlusterFS hashes what this expression of its manual (cluster.rsync-hash-regex) finds in a name.
TEST(TemporaryNames, LieOnTheServerOfTheirFinalNames) {
  const std::regex placed(R"(^\.(.+)\.[^.]+$)");
  for (const char* name : {"conf.0010.ildg", "a", ".hidden", "run.sion.000001"}) {
    std::smatch found;
    const std::string temporary = temporary_name(name, 0x01234567);
    ASSERT_TRUE(std::regex_match(temporary, found, placed)) << name;
    EXPECT_EQ(found[1], name);
  }
}

TEST(TemporaryNames, AreParsedInBothForms) {
  for (const std::string path : {"conf.ildg", "d/conf.ildg", "/a.part/.x", "n"}) {
    for (const std::string& name : temporary_names(path, 0xabcdef01)) {
      const auto found = parse_temporary_name(name);
      ASSERT_TRUE(found) << name;
      EXPECT_EQ(found->name, path);
      EXPECT_EQ(found->number, "abcdef01");
      EXPECT_EQ(found->of(path), name);
    }
  }
  EXPECT_EQ(parse_temporary_name("d/.a.00000001")->of("e/b"), "e/.b.00000001");
  EXPECT_EQ(parse_temporary_name("d/a.00000001.part")->of("e/b"), "e/b.00000001.part");
}

TEST(TemporaryNames, AreNoOthers) {
  for (const char* name :
       {"conf.ildg", "conf.01234567", "conf.0123456.part", ".conf.0123456", ".conf.0123456g", ".01234567", "..01234567",
        ".part", "", ".0123.part", "conf01234567.part", "a/.conf.01234567/b"}) {
    EXPECT_FALSE(parse_temporary_name(name)) << name;
  }
}

TEST(TemporaryNames, FitIntoADirectory) {
  const std::string path = "d/" + std::string(300, 'x');
  for (const std::string& name : temporary_names(path, 7)) EXPECT_EQ(name.size(), 2U + 255U);
}

}  // namespace
}  // namespace lq::base
