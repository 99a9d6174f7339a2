// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/documents.hpp"

#include <gtest/gtest.h>
#include <limequat/error.hpp>

namespace lq::format::scidac {
namespace {

Sums sums_of(const std::vector<Checksum>& slices) {
  Sums sums;
  sums.set_slices(slices);
  Sum weights{slice_weights};
  for (std::uint32_t i = 0; i < slices.size(); ++i) {
    weights.words.insert(weights.words.end(), {i, ~i, i * 0x9e3779b9U, 0xffffffff - i});
  }
  sums.set(std::move(weights));
  return sums;
}

TEST(Slices, AreTextOfOneLineEachAndOneOfThemAll) {
  Sums sums;
  sums.set_slices({{0x0c8e3834, 0xa2c41090}, {1, 0}});
  sums.set({slice_weights, {1, 0xffffffff, 0xffffffff, 0xffffffff, 0, 2, 0, 3}});
  EXPECT_EQ(encode_slices(sums),
            "limequat-slices 1.1 2\n"
            "0 0c8e3834 a2c41090 00000001ffffffff ffffffffffffffff\n"
            "1 00000001 00000000 0000000000000002 0000000000000003\n"
            "total 0c8e3835 a2c41090 0000000200000001 0000000000000002\n");
}

TEST(Slices, OfVersion10AreReadWithoutWeights) {
  const Sums sums = decode_slices("limequat-slices 1.0 2\n0 0c8e3834 a2c41090\n1 00000001 00000000\n");
  EXPECT_EQ(sums.slices(), (std::vector<Checksum>{{0x0c8e3834, 0xa2c41090}, {1, 0}}));
  EXPECT_EQ(sums.find(slice_weights), nullptr);
}

TEST(Slices, WithoutWeightsAreNotWritten) {
  Sums sums;
  sums.set_slices({{1, 2}});
  EXPECT_THROW(encode_slices(sums), Error);
  sums.set({slice_weights, {0, 1}});
  EXPECT_THROW(encode_slices(sums), Error);
}

// A record that is wrong must not make sound data look damaged.
TEST(Slices, DoNotStandWithAnyDigitOfTheirSumsChanged) {
  const std::string sound = encode_slices(sums_of({{1, 2}, {0xfedcba98, 0x76543210}, {5, 6}}));
  ASSERT_NO_THROW(decode_slices(sound));
  for (std::size_t at = sound.find('\n') + 1; at < sound.size(); ++at) {
    if (sound[at] == '\n') continue;
    std::string changed = sound;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_THROW(decode_slices(changed), Error) << changed;
  }
}

TEST(Slices, HaveTheLengthThatWasSaidBefore) {
  for (const std::size_t count : {1U, 2U, 9U, 10U, 11U, 99U, 100U, 101U, 1000U, 12345U}) {
    EXPECT_EQ(slices_length(count), encode_slices(sums_of(std::vector<Checksum>(count))).size()) << count;
  }
  EXPECT_GT(slices_length(slices_limit + 1), slices_limit);
  EXPECT_GT(slices_length(~0ULL), slices_limit);
}

TEST(Slices, AreReadBack) {
  std::vector<Checksum> slices;
  for (std::uint32_t i = 0; i < 123; ++i) slices.push_back({i * 0x9e3779b9U, ~i});
  EXPECT_EQ(decode_slices(encode_slices(sums_of(slices))), sums_of(slices));
}

TEST(Slices, RefuseTextThatIsNotWhole) {
  for (const char* text :
       {"", "limequat-slices 1.0", "other 1.0 1\n0 1 2\n", "limequat-slices 1.0 99999999999\n",
        "limequat-slices 1.0 2\n0 1 2\n", "limequat-slices 1.0 2\n0 1 2\n1 3\n", "limequat-slices 1.0 1\n1 1 2\n",
        "limequat-slices 1.0 1\n0 1 2\n1 3 4\n", "limequat-slices 1.0 1\n0 1 123456789\n",
        "limequat-slices 1.2 1\n0 1 2\n", "limequat-slices 1.1 1\n0 1 2\ntotal 1 2\n",
        "limequat-slices 1.1 1\n0 1 2 0000000000000003 0000000000000004\n",
        "limequat-slices 1.1 1\n0 1 2 0000000000000003 0000000000000004\n"
        "total 1 2 0000000000000003 0000000000000004\nmore\n",
        "limequat-slices 1.1 1\n0 1 2 3 4\ntotal 1 2 3 4\n"}) {
    EXPECT_THROW(decode_slices(text), Error) << text;
  }
}

}  // namespace
}  // namespace lq::format::scidac
