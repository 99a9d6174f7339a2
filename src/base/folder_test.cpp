// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/path.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "support/scratch_directory.hpp"

namespace lq::base {
namespace {

TEST(Folder, NamesAreAllAndAscending) {
  const testing::ScratchDirectory directory;
  std::vector<std::string> names;
  EXPECT_EQ(names_in(directory / "", names), 0);
  EXPECT_TRUE(names.empty());
  for (const char* const name : {"b", ".a", "a b", "c"}) std::ofstream(directory / name) << name;
  std::filesystem::create_directory(directory / "d");
  EXPECT_EQ(names_in(directory / "", names), 0);
  EXPECT_EQ(names, (std::vector<std::string>{".a", "a b", "b", "c", "d"}));
}

TEST(Folder, WhatIsNoneHasAReason) {
  const testing::ScratchDirectory directory;
  std::vector<std::string> names;
  EXPECT_EQ(names_in(directory / "none", names), ENOENT);
  std::ofstream(directory / "file") << "x";
  EXPECT_EQ(names_in(directory / "file", names), ENOTDIR);
  EXPECT_TRUE(names.empty());
}

}  // namespace
}  // namespace lq::base
