// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields are compared bit for bit, in any precision, and peaks of memory are seen.
#include "bench/rounds.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace lq::bench {
namespace {

TEST(BenchField, IsComparedBitForBit) {
  BenchField field(Grid({2, 2, 2, 2}));
  std::copy(field.source().begin(), field.source().end(), field.target().begin());
  EXPECT_TRUE(field.target_is_source(field.source().size_bytes()));
  field.target().back() = -field.target().back();
  EXPECT_FALSE(field.target_is_source(field.source().size_bytes()));
  field.clear_target();
  EXPECT_EQ(std::count(field.target().begin(), field.target().end(), 0.0), 16 * 72);
}

TEST(BenchField, SurvivesSinglePrecision) {
  const BenchField field(Grid({2, 2, 2, 4}));
  for (const double number : field.source()) {
    const volatile auto single = static_cast<float>(number);
    ASSERT_EQ(static_cast<double>(single), number);
  }
}

TEST(MemoryPeak, SeesWhatWasThereForAMomentOnly) {
  constexpr std::size_t size = std::size_t{64} << 20;
  const MemoryPeak quiet;
  const auto nothing = quiet.bytes();
  if (!nothing) GTEST_SKIP() << "this system does not tell";
  const MemoryPeak peak;
  { PageVector<char> moment(size, 'x'); }
  EXPECT_GE(*peak.bytes(), size / 10 * 9);
  EXPECT_LE(*peak.bytes(), size / 2 * 3);  // sanitizers keep books of their own beside it
  EXPECT_LE(*nothing, size / 10);
}

}  // namespace
}  // namespace lq::bench
