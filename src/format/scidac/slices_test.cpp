// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/slices.hpp"

#include <gtest/gtest.h>
#include <limequat/error.hpp>

namespace lq::format::scidac {
namespace {

TEST(Slices, AreTextOfOneLineEach) {
  EXPECT_EQ(encode_slices({{0x0c8e3834, 0xa2c41090}, {1, 0}}),
            "limequat-slices 1.0 2\n0 0c8e3834 a2c41090\n1 00000001 00000000\n");
}

TEST(Slices, HaveTheLengthThatWasSaidBefore) {
  for (const std::size_t count : {1U, 2U, 9U, 10U, 11U, 99U, 100U, 101U, 1000U, 12345U}) {
    EXPECT_EQ(slices_length(count), encode_slices(std::vector<Checksum>(count)).size()) << count;
  }
  EXPECT_GT(slices_length(slices_limit + 1), slices_limit);
  EXPECT_GT(slices_length(~0ULL), slices_limit);
}

TEST(Slices, AreReadBack) {
  std::vector<Checksum> slices;
  for (std::uint32_t i = 0; i < 123; ++i) slices.push_back({i * 0x9e3779b9U, ~i});
  EXPECT_EQ(decode_slices(encode_slices(slices)), slices);
}

TEST(Slices, RefuseTextThatIsNotWhole) {
  for (const char* text :
       {"", "limequat-slices 1.0", "other 1.0 1\n0 1 2\n", "limequat-slices 1.0 99999999999\n",
        "limequat-slices 1.0 2\n0 1 2\n", "limequat-slices 1.0 2\n0 1 2\n1 3\n", "limequat-slices 1.0 1\n1 1 2\n",
        "limequat-slices 1.0 1\n0 1 2\n1 3 4\n", "limequat-slices 1.0 1\n0 1 123456789\n"}) {
    EXPECT_THROW(decode_slices(text), Error) << text;
  }
}

}  // namespace
}  // namespace lq::format::scidac
