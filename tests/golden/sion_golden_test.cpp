// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replays tests/golden/bad/sion: every multifile must end as its .expect says, which tools/make_golden_sion.py wrote
// with it, and the whole ones of tests/golden/good/sion must have no finding of weight.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <limequat/file.hpp>

namespace lq {
namespace {

namespace fs = std::filesystem;

fs::path folder(const char* kind) { return fs::path(LQ_SOURCE_DIR) / "tests" / "golden" / kind / "sion"; }

// What a line "VERB VALUE" of a file says.
std::string value_of(const fs::path& path, const std::string& verb) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(verb + " ")) return line.substr(verb.size() + 1);
  }
  return {};
}

TEST(SionGolden, ThatAreBadEndAsExpected) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder("bad"))) {
    if (entry.path().extension() != ".sion") continue;
    SCOPED_TRACE(entry.path().filename());
    ++files;
    const fs::path expect = fs::path(entry.path()).replace_extension(".expect");
    const Catalog catalog = inspect(entry.path().string());
    EXPECT_EQ(catalog.format, "sion");
    const Finding* error = catalog.first_error();
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->rule, value_of(expect, "rule"));
    EXPECT_EQ(name(error->code), value_of(expect, "code"));
    EXPECT_EQ(catalog.complete, error->code != Code::truncated);
    EXPECT_GT(error->message.size(), 30U);  // a sentence
  }
  EXPECT_GE(files, 40U);
}

TEST(SionGolden, ThatAreGoodHaveNothingToSay) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder("good"))) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("v") || name.starts_with("v17")) continue;
    SCOPED_TRACE(name);
    ++files;
    const Catalog catalog = inspect(entry.path().string());
    EXPECT_TRUE(catalog.findings.empty()) << catalog.findings.front().message;
    EXPECT_FALSE(catalog.records.empty());
  }
  EXPECT_GE(files, 28U);
}

}  // namespace
}  // namespace lq
