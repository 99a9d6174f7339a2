// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles that we write, taken apart by plain_sion.py, which knows the format page and nothing of us.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include <limequat/repack.hpp>

#include "support/scratch_directory.hpp"

namespace lq {
namespace {

// Whether the multifile holds streams by the formula of that seed; `sizes` in words.
bool conforms(const std::string& path, int seed, const std::string& sizes) {
  const std::string script = std::string(LQ_SOURCE_DIR) + "/tests/conformance/plain_sion.py";
  const std::string command =
      std::string("'") + LQ_PYTHON + "' -B '" + script + "' '" + path + "' " + std::to_string(seed) + " " + sizes;
  return std::system(command.c_str()) == 0;
}

std::string golden(const std::string& name) { return std::string(LQ_SOURCE_DIR) + "/tests/golden/good/sion/" + name; }

struct PlainMultifile : ::testing::Test {
  testing::ScratchDirectory directory;
};

TEST_F(PlainMultifile, ReaderIsNotEasilySatisfied) {
  EXPECT_TRUE(conforms(golden("v01_1file_4tasks.sion"), 1, "1000 1500 300 512"));
  EXPECT_FALSE(conforms(golden("v01_1file_4tasks.sion"), 2, "1000 1500 300 512"));
  EXPECT_FALSE(conforms(golden("v17_unclosed.sion"), 17, "1200 1200 1200"));
}

TEST_F(PlainMultifile, FindsPackedFilesWhole) {
  std::vector<std::string> inputs;
  const int sizes[] = {70'000, 0, 1};
  for (int rank = 0; rank < 3; ++rank) {
    inputs.push_back(directory / ("input" + std::to_string(rank)));
    std::ofstream out(inputs.back(), std::ios::binary);
    for (int i = 0; i < sizes[rank]; ++i) out.put(static_cast<char>(31 * i + 57 * rank + 7 * (i / 256) + 13 * 9));
  }
  pack(directory / "packed.sion", inputs);
  EXPECT_TRUE(conforms(directory / "packed.sion", 9, "70000 0 1"));
}

TEST_F(PlainMultifile, FindsRewrittenSetsWhole) {
  rewrite(golden("v11_3files_splitcomm.sion"), directory / "set.sion");
  EXPECT_TRUE(conforms(directory / "set.sion", 11, "400 450 500 550 600 650 700"));
  rewrite(golden("v12_mapped.sion"), directory / "mapped.sion");
  EXPECT_TRUE(conforms(directory / "mapped.sion", 12, "300 310 320 330 340 350"));
  rewrite(golden("v08_bigendian.sion"), directory / "turned.sion");
  EXPECT_TRUE(conforms(directory / "turned.sion", 8, "250 1100 0"));
}

TEST_F(PlainMultifile, FindsDefragmentedAndRepairedOnesWhole) {
  defragment(golden("v11_3files_splitcomm.sion"), directory / "one.sion");
  EXPECT_TRUE(conforms(directory / "one.sion", 11, "400 450 500 550 600 650 700"));
  RepackOptions options;
  options.unit = 400;
  repair(golden("v17_unclosed.sion"), directory / "repaired.sion", options);
  EXPECT_TRUE(conforms(directory / "repaired.sion", 17, "1200 1200 1200"));
}

}  // namespace
}  // namespace lq
